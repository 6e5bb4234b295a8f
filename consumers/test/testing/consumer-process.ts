import { createPool } from '@tidings/postgres'
import { openRig } from './rig.ts'

/** A process of its own that consumes until it is killed: `node consumer-process.ts <database url> <provider>`. */
const [url = '', provider = ''] = process.argv.slice(2)
const rig = await openRig(createPool({ url, max: 8, name: 'consumer-process' }))
await rig.consume(provider, { concurrency: 8 })
process.stdout.write('running\n')
