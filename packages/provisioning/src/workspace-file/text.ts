import { isNode, LineCounter, parseDocument, stringify } from 'yaml'
import { WorkspaceFile } from './schema.ts'
import { IN_ONE_PASS } from './shape.ts'

/** A workspace file as people read and edit it, which `parseWorkspaceFile` reads back as the same. */
export function textOfFile(file: WorkspaceFile): string {
  return stringify(file, { lineWidth: 0, aliasDuplicateObjects: false })
}

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
