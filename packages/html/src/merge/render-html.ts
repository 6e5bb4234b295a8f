import { addressSoFar, joinParts, type MergePart, type MergeValues, type RenderOptions, textAfter } from '@tidings/domain'
import { htmlMergeParts } from './html-merge-tags.ts'
import { htmlPlaces } from './html-places.ts'
import { valueAt } from './value-at.ts'

/**
 * Puts values into html: each is escaped by its place (M52); the fallback is the author's own markup, and is not. Refuses `template_render_failed` beyond
 * `maxLength`.
 */
export function renderHtml(template: string, values: MergeValues, options: RenderOptions): string {
  const parts = htmlMergeParts(template)
  const { html, offsets } = outline(parts)
  const places = offsets.length === 0 ? [] : htmlPlaces(html, offsets)
  let address = ''
  let tag = 0
  return joinParts(parts, options, ({ key, fallback }, n) => {
    const [place, offset = 0, before = -1] = [places[tag] ?? { kind: 'text' as const }, offsets[tag], offsets[tag - 1]]
    tag++
    // Another value may stand in the same address.
    if (place.kind === 'address')
      address = addressSoFar(place.from > before ? '' : address, html.slice(Math.max(place.from, before + 1), offset))
    const quote = /["'`]/.exec(html.charAt(offset - 1))?.[0] ?? ''
    const text = valueAt(place, values(key), { address, quote, next: textAfter(parts, n) }) || fallback
    if (place.kind === 'address') address = addressSoFar(address, text)
    return text
  })
}

/** Gives the html with a letter for each value, and the places of these letters. */
function outline(parts: readonly MergePart[]): Readonly<{ html: string; offsets: readonly number[] }> {
  const offsets: number[] = []
  let html = ''
  for (const part of parts) {
    if (typeof part !== 'string') offsets.push(html.length)
    html += typeof part === 'string' ? part : 'x'
  }
  return { html, offsets }
}
