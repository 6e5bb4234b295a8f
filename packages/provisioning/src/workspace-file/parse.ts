import type { TSchema } from '@sinclair/typebox'
import { Value, type ValueError } from '@sinclair/typebox/value'
import { inexactNumber, jsonInNfc } from '@tidings/domain'
import { isMap, isScalar, LineCounter, parseDocument, visit, type YAMLMap } from 'yaml'
import { withConfirmation } from './confirmation-of-all.ts'
import { firstMistake } from './mistakes.ts'
import { WorkspaceFile } from './schema.ts'
import { IN_ONE_PASS, shapeMistake } from './shape.ts'

/** A workspace file that cannot be applied, said in one sentence with the path of the field. */
export class WorkspaceFileError extends Error {
  override readonly name = 'WorkspaceFileError'
}

const fail = (sentence: string): never => {
  throw new WorkspaceFileError(sentence)
}

/** `/templates/0/subject` → `templates[0].subject`, as people write it. */
const fieldPath = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '') || 'the file'

const literals = (schema: TSchema): string => {
  const options: readonly TSchema[] = schema.anyOf ?? []
  return options.map(({ const: value }) => String(value)).join(', ')
}

const sentence = ({ path, message, schema, value }: ValueError): string => {
  const field = fieldPath(path)
  if (message === 'Unexpected property') return `${field} is not a field of the workspace file`
  if (message === 'Expected required property') return `${field} is missing`
  if (schema.anyOf) return `${field} must be one of ${literals(schema)}`
  if (schema.const !== undefined) return `${field} must be ${schema.const}`
  if (schema.pattern) return `${field} must match ${schema.pattern}`
  const shown = typeof value === 'string' ? ` (it is ${value.length} characters long)` : ''
  return `${field}: ${message.charAt(0).toLowerCase()}${message.slice(1)}${shown}`
}

/** Chooses the shape by `channel` or `type`, or the only map there is, so that the sentence names the field that is wrong. */
const shapeSentence = (error: ValueError, shapes: readonly TSchema[]): string => {
  const item = error.value as Readonly<Record<string, unknown>> | null
  if (typeof item !== 'object' || item === null) return `${fieldPath(error.path)} must be a map`
  const word = ['channel', 'type'].find((name) => shapes[0]?.properties[name]?.const !== undefined)
  const shape = word === undefined ? shapes[0] : shapes.find(({ properties }) => properties[word].const === item[word])
  if (!shape)
    return `${fieldPath(error.path)}.${word} must be one of ${shapes.map(({ properties }) => properties[word ?? ''].const).join(', ')}`
  const inner = Value.Errors(shape, item).First()
  return inner ? sentence({ ...inner, path: `${error.path}${inner.path}` }) : sentence(error)
}

/** The mistake in a value that may be a number or a list, judged as the one that it is. */
const listSentence = (error: ValueError, list: TSchema, number: TSchema): string => {
  if (!Array.isArray(error.value) && typeof error.value !== 'number') return `${fieldPath(error.path)} must be a number or a list`
  const inner = Value.Errors(Array.isArray(error.value) ? list : number, error.value).First()
  return inner ? sentence({ ...inner, path: `${error.path}${inner.path}` }) : sentence(error)
}

const sentenceOf = (error: ValueError): string => {
  const options: readonly TSchema[] = error.schema.anyOf ?? []
  const shapes = options.filter(({ properties }) => properties !== undefined)
  const [number, list] = ['integer', 'array'].map((wanted) => options.find(({ type }) => type === wanted))
  if (number !== undefined && list !== undefined) return listSentence(error, list, number)
  return shapes.length > 0 ? shapeSentence(error, shapes) : sentence(error)
}

const refuseInexact = (value: unknown, source: string | undefined): void => {
  if (typeof value !== 'number' || source === undefined || inexactNumber(source) === null) return
  fail(`${source.slice(0, 40)} is a number that cannot be kept exactly: write it in quotes`)
}

const notYaml = (lines: LineCounter, { message, offset }: Readonly<{ message: string; offset: number }>): never => {
  const { line, col } = lines.linePos(offset)
  return fail(`the file is not valid YAML: ${message} at line ${line}, column ${col}`)
}

const refuseRepeatedKeys = (map: YAMLMap, lines: LineCounter): void => {
  const seen = new Set<unknown>()
  for (const { key } of map.items) {
    if (!isScalar(key)) continue
    const known = seen.size
    if (seen.add(String(key.value)).size > known) continue
    notYaml(lines, { message: 'Map keys must be unique', offset: key.range?.[0] ?? 0 })
  }
}

/** Reads a workspace file (YAML or JSON). Throws `WorkspaceFileError` with one sentence; then nothing was changed anywhere. */
export function parseWorkspaceFile(source: string, { mostTokens = Number.POSITIVE_INFINITY } = {}): WorkspaceFile {
  const shape = shapeMistake(source, mostTokens)
  if (shape !== null) fail(shape)
  try {
    return parsed(source)
  } catch (error) {
    // Aliases that name each other, which the parser refuses to follow.
    if (error instanceof RangeError || error instanceof ReferenceError) return fail('the file nests too deep, or repeats itself too often')
    throw error
  }
}

/** A file may have half a million mistakes, and the parser goes on behind each. */
const withoutTraces = <T>(work: () => T): T => {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return work()
  } finally {
    Error.stackTraceLimit = limit
  }
}

const parsed = (source: string): WorkspaceFile => {
  const lines = new LineCounter()
  const document = withoutTraces(() => parseDocument(source, { lineCounter: lines, ...IN_ONE_PASS }))
  const broken = document.errors[0]
  if (broken) notYaml(lines, { message: broken.message, offset: broken.pos[0] })
  if (!isMap(document.contents)) fail('the file must be a map with a workspace section')
  visit(document, {
    Map: (_, map) => refuseRepeatedKeys(map, lines),
    Scalar: (_, { value, source }) => refuseInexact(value, source),
  })
  const value: unknown = document.toJS()
  const error = Value.Errors(WorkspaceFile, value).First()
  if (error) fail(sentenceOf(error))
  const file = fileInNfc(value as WorkspaceFile)
  const mistake = firstMistake(file)
  if (mistake) fail(mistake)
  return withConfirmation(file)
}

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
function fileInNfc(file: WorkspaceFile): WorkspaceFile {
  const sections = Object.entries(file).map(([name, section]) => [name, AS_WRITTEN.has(name) ? section : sectionInNfc(section)])
  // The cast holds: only texts are changed, and each stays a text.
  return Object.fromEntries(sections) as WorkspaceFile
}

const sectionInNfc = (section: unknown): unknown => (Array.isArray(section) ? section.map(recordInNfc) : recordInNfc(section))

const recordInNfc = (record: unknown): unknown => {
  if (typeof record !== 'object' || record === null) return jsonInNfc(record)
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, AS_WRITTEN.has(key) ? value : jsonInNfc(value)]))
}
