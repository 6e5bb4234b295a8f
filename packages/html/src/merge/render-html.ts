import { joinParts, type MergePart, type MergeValues, type RenderOptions, textAfter } from '@tidings/domain'
import { beforeValues } from './before-values.ts'
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
  const before = beforeValues(html)
  let tag = 0
  return joinParts(parts, options, ({ key, fallback }, n) => {
    const [place, offset = 0] = [places[tag] ?? { kind: 'text' as const }, offsets[tag]]
    tag++
    const around = { ...before.at(place, offset), next: textAfter(parts, n) }
    const text = valueAt(place, values(key), around) || fallback
    before.add(text)
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
