import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { isNode, LineCounter, parseDocument, stringify } from 'yaml'
import { WorkspaceFile } from './schema.ts'
import { IN_ONE_PASS } from './shape.ts'

/**
 * A workspace file as people read and edit it, which `parseWorkspaceFile` reads back as the same. Ten megabytes of templates take seconds: others come in
 * between two records.
 */
export async function textOfFile(file: WorkspaceFile): Promise<string> {
  const parts: string[] = []
  for (const [name, section] of Object.entries(file)) {
    const records: readonly unknown[] = Array.isArray(section) ? section : []
    if (records.length === 0) parts.push(written({ [name]: section }))
    for (const [n, record] of records.entries()) {
      const text = written({ [name]: [record] })
      parts.push(n === 0 ? text : text.slice(`${name}:\n`.length))
      await yieldToEventLoop()
    }
  }
  return parts.join('')
}

const written = (section: object): string => stringify(section, { lineWidth: 0, aliasDuplicateObjects: false })

/** The line of the field that a sentence about a file begins with, or of what it is in; null where the file has no such field. */
export function lineOf(source: string, sentence: string): number | null {
  const [path = ''] = /^[A-Za-z]\w*(?:\[\d+\]|\.\w+)*/.exec(sentence) ?? []
  const steps = path.split(/[.[\]]+/).filter((step) => step !== '')
  if (!Object.hasOwn(WorkspaceFile.properties, steps[0] ?? '')) return null
  const lineCounter = new LineCounter()
  const document = parseDocument(source, { lineCounter, ...IN_ONE_PASS })
  for (let length = steps.length; length > 0; length--) {
    const found = document.getIn(
      steps.slice(0, length).map((step) => (/^\d+$/.test(step) ? Number(step) : step)),
      true,
    )
    if (isNode(found) && found.range) return lineCounter.linePos(found.range[0]).line
  }
  return null
}
