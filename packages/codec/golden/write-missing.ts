// Writes the samples that are missing: run it after declaring an event type or a new version of one, and commit what it made.
//   node packages/codec/golden/write-missing.ts
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { asWorkspaceId, DETAIL_KINDS, eventDeclarations, weekOf } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { periodSubject } from '../src/layers.ts'
import { createEventLog } from '../src/typed-event-log.ts'
import { upcasters } from '../src/upcast/upcasters.ts'
import { examples } from './examples.ts'
import { fileOf, LAYERED, readJson, type Sample, type SampleKeys, sampleKeyRingOver, sampleKeyStore } from './samples.ts'

const workspaceId = asWorkspaceId('0192f0c1-0000-7000-8000-00000000000a')
const at = '2026-11-21T12:00:00.000Z'
const store = memoryEventStore()
const known = readJson<SampleKeys>('keys.json')
const keyStore = await sampleKeyStore()
const keyRing = sampleKeyRingOver(keyStore)
const log = createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing })

const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

const storedSample = async (type: string, data: unknown): Promise<Sample> => {
  const stream = `sample-${workspaceId}-${type}`
  const context = { commandId: type, workspaceId, actor: 'operator', requestId: 'sample', at }
  await log.append(stream, 'no_stream', [{ type, data }], context)
  const [event] = await store.readStream(stream)
  if (!event) throw new Error(`${type} was not stored`)
  return { stream, id: event.id, type, data: event.data, meta: event.meta }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Stores the keys of new subjects: without them their samples cannot be read. */
const keepKeys = async (): Promise<void> => {
  const named = Object.entries(examples).flatMap(([type, data]) => eventDeclarations[type]?.personal?.subject(data as never) ?? [])
  const subjects = [...named, ...DETAIL_KINDS.map((kind) => periodSubject(kind, weekOf(at)))]
  const keys = await Promise.all(
    [...new Set(subjects)].map(async (subject) => {
      const [versions] = await keyStore.load([{ workspaceId, subject }])
      const wrapped = versions?.[0]?.wrapped?.toString('base64')
      return wrapped === undefined ? [] : [{ workspaceId, subject, wrapped }]
    }),
  )
  const made = keys.flat().filter(({ subject }) => !known.keys.some((key) => key.subject === subject))
  if (made.length === 0) return
  const [before, after] = [toJson(known), toJson({ ...known, keys: [...known.keys, ...made] })]
  const sums = readFileSync(fileOf('samples.sha256'), 'utf8')
  writeFileSync(fileOf('keys.json'), after)
  writeFileSync(fileOf('samples.sha256'), sums.replace(digestOf(before), digestOf(after)))
}

for (const [type, data] of Object.entries(examples)) {
  const version = `${type}.v${eventDeclarations[type]?.version}`
  const name = LAYERED.has(version) ? `${version}.layers` : version
  if (existsSync(fileOf(`${name}.json`))) continue
  const text = toJson(await storedSample(type, data))
  writeFileSync(fileOf(`${name}.json`), text)
  writeFileSync(fileOf(`${name}.expected.json`), toJson(data))
  appendFileSync(fileOf('samples.sha256'), `${digestOf(text)}  ${name}.json\n`)
  process.stdout.write(`${name}.json\n`)
}
await keepKeys()
await log.close()
