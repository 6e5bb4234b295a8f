/**
 * The fixture as a process of its own: `node serve.ts [--port N] [--data FILE]`. Without a port it takes a free one, without a file it
 * forgets everything with its end. Prints its connection string when it listens; a parent that forked it is notified.
 */
import { parseArgs } from 'node:util'
import { fileLog } from './file-log.ts'
import { startEventStoreFixture } from './fixture.ts'

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' }, data: { type: 'string' } } })
const port = Number(values.port)
const fixture = await startEventStoreFixture({ port, ...(values.data !== undefined && { log: fileLog(values.data) }) })

const end = async (): Promise<void> => {
  await fixture.close()
  process.exit(0)
}
process.on('SIGTERM', end).on('SIGINT', end).on('disconnect', end)
process.stdout.write(`${fixture.connectionString}\n`)
process.send?.({ port: fixture.port })
