// Writes the samples that are missing: run it after declaring an event type or a new version of one, and commit what it made.
//   node packages/codec/golden/write-missing.ts
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { eventDeclarations } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { createEventLog } from '../src/typed-event-log.ts'
import { upcasters } from '../src/upcast/upcasters.ts'
import { examples } from './examples.ts'
import { fileOf, type Sample, sampleKeyRing } from './samples.ts'

const workspaceId = '0192f0c1-0000-7000-8000-00000000000a'
const store = memoryEventStore()
const log = createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing: await sampleKeyRing() })

const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

const storedSample = async (type: string, data: unknown): Promise<Sample> => {
  const stream = `sample-${workspaceId}-${type}`
  const context = { commandId: type, workspaceId, actor: 'operator', requestId: 'sample', at: '2026-11-21T12:00:00.000Z' }
  await log.append(stream, 'no_stream', [{ type, data }], context)
  const [event] = await store.readStream(stream)
  if (!event) throw new Error(`${type} was not stored`)
  return { stream, id: event.id, type, data: event.data, meta: event.meta }
}

for (const [type, data] of Object.entries(examples)) {
  const name = `${type}.v${eventDeclarations[type]?.version}`
  if (existsSync(fileOf(`${name}.json`))) continue
  const text = toJson(await storedSample(type, data))
  writeFileSync(fileOf(`${name}.json`), text)
  writeFileSync(fileOf(`${name}.expected.json`), toJson(data))
  appendFileSync(fileOf('samples.sha256'), `${createHash('sha256').update(text).digest('hex')}  ${name}.json\n`)
  process.stdout.write(`${name}.json\n`)
}
await log.close()
