import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { escapeHtml, withoutLinkTokens } from '@tidings/domain'
import type { Section } from './sections.ts'

type Fields = Readonly<Record<string, unknown>>

/** Writes what it gets in one format, piece by piece. */
type Format = Readonly<{
  begin: string
  end: string
  record: (section: Section, fields: Fields, isFirst: boolean) => string
  open: (section: Section, isFirst: boolean) => string
  item: (fields: Fields, isFirst: boolean) => string
  close: string
}>

const key = ({ name }: Section, isFirst: boolean): string => `${isFirst ? '' : ','}\n${JSON.stringify(name)}: `

/** One JSON document. */
export const json: Format = {
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
export const html: Format = {
  begin: `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>What is known of you</title><style>${STYLE}</style></head><body><h1>What is known of you</h1>\n`,
  end: '</body></html>\n',
  record: ({ title }, fields) => `<h2>${escapeHtml(title)}</h2>\n${table(fields)}`,
  open: ({ title }) => `<h2>${escapeHtml(title)}</h2>\n`,
  item: table,
  close: '',
}

type Target = Readonly<{ file: string; format: Format }>

/**
 * Writes all targets at once, each read one record at a time: none of them is in memory as a whole. The files are the owner's alone, and show no token
 * of a link of ours (M61).
 */
export async function writeSections(sections: readonly Section[], targets: readonly Target[]): Promise<void> {
  const open = targets.map(({ file, format }) => ({ format, stream: createWriteStream(file, { flags: 'wx', mode: 0o600 }) }))
  const done = Promise.all(open.map(({ stream }) => finished(stream)))
  done.catch(() => undefined) // awaited at the end, or by the first write
  const write = async (piece: (format: Format) => string): Promise<void> => {
    for (const { format, stream } of open) if (!stream.write(piece(format))) await Promise.race([once(stream, 'drain'), done])
  }
  try {
    await write(({ begin }) => begin)
    for (const [n, section] of sections.entries()) await writeSection(write, section, n === 0)
    await write(({ end }) => end)
  } finally {
    for (const { stream } of open) stream.end()
  }
  await done
}

const writeSection = async (
  write: (piece: (format: Format) => string) => Promise<void>,
  section: Section,
  isFirst: boolean,
): Promise<void> => {
  if ('record' in section) return await write(({ record }) => record(section, withoutLinkTokens(section.record), isFirst))
  await write((format) => format.open(section, isFirst))
  let isFirstItem = true
  for await (const item of section.items) {
    const fields = withoutLinkTokens(item)
    const first = isFirstItem
    await write((format) => format.item(fields, first))
    isFirstItem = false
  }
  await write(({ close }) => close)
}
