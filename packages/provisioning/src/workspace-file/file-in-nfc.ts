import { jsonInNfc } from '@tidings/domain'
import type { WorkspaceFile } from './schema.ts'

/** Content is sent as it was written, a secret is compared so; rules and steps are brought into NFC where they are parsed, which bounds how deep they are. */
const AS_WRITTEN: ReadonlySet<string> = new Set([
  'subject',
  'html',
  'text',
  'body',
  'push',
  'secret',
  'password',
  'rule',
  'steps',
  'smsReplies',
])

/** The names of a file in NFC (M46): what they make is found by them, and has its id from them. */
export function fileInNfc(file: WorkspaceFile): WorkspaceFile {
  const sections = Object.entries(file).map(([name, section]) => [name, AS_WRITTEN.has(name) ? section : sectionInNfc(section)])
  // The cast holds: only texts are changed, and each stays a text.
  return Object.fromEntries(sections) as WorkspaceFile
}

const sectionInNfc = (section: unknown): unknown => (Array.isArray(section) ? section.map(recordInNfc) : recordInNfc(section))

const recordInNfc = (record: unknown): unknown => {
  if (typeof record !== 'object' || record === null) return jsonInNfc(record)
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, AS_WRITTEN.has(key) ? value : jsonInNfc(value)]))
}
