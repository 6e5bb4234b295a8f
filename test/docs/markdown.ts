import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** A fenced block: its language, its text, and the line it begins in, for messages. */
export type Block = Readonly<{ language: string; text: string; line: number }>

const FENCE = /^( *)(`{3,})([\w-]*)[^\n]*\n([\s\S]*?)^\1\2 *$/gm

/** The fenced blocks of a page, in their order. */
export function blocksOf(markdown: string): readonly Block[] {
  return [...markdown.matchAll(FENCE)].map(({ index, 3: language = '', 4: text = '' }) => ({
    language,
    text,
    line: markdown.slice(0, index).split('\n').length,
  }))
}

const withoutCode = (markdown: string): string => markdown.replace(FENCE, '').replace(/`[^`\n]*`/g, '`')

/** The targets of a page's links that are no address of the web; what stands in code is no link. */
export function relativeLinks(markdown: string): readonly string[] {
  return [...withoutCode(markdown).matchAll(/\[[^\]]*\]\(<?([^)\s>]+)>?\)/g)]
    .map(([, target]) => target ?? '')
    .filter((target) => !/^[a-z]+:/i.test(target))
}

const slug = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

/** The headings of a page, without the anchors that are written into them. */
export function headingsOf(markdown: string): readonly string[] {
  return [...markdown.replace(FENCE, '').matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading = '']) =>
    heading.replace(/<a id="[^"]*"><\/a>/g, ''),
  )
}

/** The anchors of a page: those that GitHub makes of its headings, and those that are written as `<a id="…"></a>`. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  return new Set([...headingsOf(markdown).map(slug), ...[...markdown.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)])
}

/** The page with its fenced blocks blanked, line for line. */
export function withoutBlocks(markdown: string): string {
  return markdown.replace(FENCE, (block) => block.replace(/[^\n]+/g, ''))
}

/** Data directories, caches and what is installed: none of it is a page, and some of it may not be entered. */
const isOurs = (name: string): boolean => name !== 'node_modules' && !name.startsWith('.')

/** Every markdown file of the repository, relative to its root. */
export function markdownFiles(folder = ''): readonly string[] {
  return readdirSync(`${ROOT}${folder}`, { withFileTypes: true })
    .filter(({ name }) => isOurs(name))
    .flatMap((entry) => (entry.isDirectory() ? markdownFiles(`${folder}${entry.name}/`) : [`${folder}${entry.name}`]))
    .filter((path) => path.endsWith('.md'))
}

export function readPage(path: string): string {
  return readFileSync(`${ROOT}${path}`, 'utf8')
}

const section = (name: string): RegExp => new RegExp(`(<!-- generated: ${name} -->\n)[\\s\\S]*?(<!-- end: ${name} -->)`)

/** The page with its generated section of this name replaced; throws where there is none. */
export function withSection(page: string, name: string, text: string): string {
  if (!section(name).test(page)) throw new Error(`there is no section <!-- generated: ${name} --> … <!-- end: ${name} -->`)
  return page.replace(section(name), (_, begin: string, end: string) => `${begin}\n${text.trim()}\n\n${end}`)
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** A markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n')
}
