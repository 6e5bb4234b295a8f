import { escapeHtml, withoutLinkTokens } from '@tidings/domain'
import type { Section } from './sections.ts'

type Fields = Readonly<Record<string, unknown>>

/** Makes text of what it gets, piece by piece. */
export type SectionFormat = Readonly<{
  begin: string
  end: string
  record: (section: Section, fields: Fields, isFirst: boolean) => string
  open: (section: Section, isFirst: boolean) => string
  item: (fields: Fields, isFirst: boolean) => string
  close: string
}>

const key = ({ name }: Section, isFirst: boolean): string => `${isFirst ? '' : ','}\n${JSON.stringify(name)}: `

/** One JSON document. */
export const jsonSections: SectionFormat = {
  begin: '{',
  end: '\n}\n',
  record: (section, fields, isFirst) => `${key(section, isFirst)}${JSON.stringify(fields, null, 2)}`,
  open: (section, isFirst) => `${key(section, isFirst)}[`,
  item: (fields, isFirst) => `${isFirst ? '' : ','}\n${JSON.stringify(fields)}`,
  close: ']',
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%;margin:0 0 1rem}th,td{border:1px solid #ccc;padding:.3rem .5rem;text-align:left;vertical-align:top}
th{width:14rem;font-weight:600}td{white-space:pre-wrap;overflow-wrap:anywhere}`

const shown = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  return escapeHtml(typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value))
}

const table = (fields: Fields): string =>
  `<table>${Object.entries(fields)
    .map(([name, value]) => `<tr><th>${escapeHtml(name)}</th><td>${shown(value)}</td></tr>`)
    .join('')}</table>\n`

/** One page that loads nothing and runs nothing; everything in it is text, the content of messages too. */
export const htmlSections: SectionFormat = {
  begin: `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>What is known of you</title><style>${STYLE}</style></head><body><h1>What is known of you</h1>\n`,
  end: '</body></html>\n',
  record: ({ title }, fields) => `<h2>${escapeHtml(title)}</h2>\n${table(fields)}`,
  open: ({ title }) => `<h2>${escapeHtml(title)}</h2>\n`,
  item: table,
  close: '',
}

/**
 * The text of the sections in each of the formats, one piece of each at a time: no record but the one that is written is in memory, and each is read
 * once for all formats. It shows no token of a link of ours (M61).
 */
export async function* sectionTexts(sections: readonly Section[], formats: readonly SectionFormat[]): AsyncGenerator<readonly string[]> {
  const each = (piece: (format: SectionFormat) => string): readonly string[] => formats.map(piece)
  yield each(({ begin }) => begin)
  for (const [n, section] of sections.entries()) {
    const isFirst = n === 0
    if ('record' in section) yield each(({ record }) => record(section, withoutLinkTokens(section.record), isFirst))
    else {
      yield each((format) => format.open(section, isFirst))
      let isFirstItem = true
      for await (const item of section.items) {
        const fields = withoutLinkTokens(item)
        const first = isFirstItem
        yield each((format) => format.item(fields, first))
        isFirstItem = false
      }
      yield each(({ close }) => close)
    }
  }
  yield each(({ end }) => end)
}
