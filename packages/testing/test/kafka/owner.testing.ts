import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestBroker } from '../../src/kafka/broker.ts'

/** A process that starts a broker, tells where, and waits to be killed. */
const { address } = await startTestBroker()
const folder = readdirSync(tmpdir()).find((name) => name.startsWith(`tidings-test-${process.pid}-`)) ?? ''
process.send?.({ address, folder: join(tmpdir(), folder) })
