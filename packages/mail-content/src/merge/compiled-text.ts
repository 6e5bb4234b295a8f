import type { MergedText, MergePart, PlacedPart, TemplateSpan } from '@tidings/domain'

/** A text of a template, read once. `spans` has an entry for each part: null for a tag, and for a text that is not in the template as it is. */
export type CompiledText = Readonly<{ parts: readonly MergePart[]; spans: readonly (TemplateSpan | null)[] }>

export function compiledText(placed: readonly PlacedPart[]): CompiledText {
  return { parts: placed.map(({ part }) => part), spans: placed.map(spanOf) }
}

const spanOf = ({ part, from }: PlacedPart): TemplateSpan | null =>
  from === null || typeof part !== 'string' ? null : [from, from + part.length]

/** The text with what its tags became, in their order, in pieces that `joinedText` puts together. */
export function mergedText({ parts, spans }: CompiledText, resolved: readonly string[]): MergedText {
  const pieces: (TemplateSpan | string)[] = []
  let [inserted, tag] = ['', 0]
  const flush = (): void => {
    if (inserted !== '') pieces.push(inserted)
    inserted = ''
  }
  parts.forEach((part, n) => {
    const span = spans[n] ?? null
    if (span === null) inserted += typeof part === 'string' ? part : (resolved[tag++] ?? '')
    else {
      flush()
      pieces.push(span)
    }
  })
  flush()
  return pieces
}

/** `template`: the text that the spans are of. */
export function joinedText(pieces: MergedText, template: string): string {
  let text = ''
  for (const piece of pieces) text += typeof piece === 'string' ? piece : template.slice(piece[0], piece[1])
  return text
}
