import { SHOWN } from './visibility.ts'

/** A list: `next` is the number of its next item, null where items have none; `openItems`: of its own, not ended. */
type List = { next: number | null; openItems: number }

/** The elements that are open at a place in the html, as far as the text of a mail depends on them. `visibility`: of what comes next. */
export type OpenElements = Readonly<{
  /** Ends what a start tag of that name ends, before its element is opened; true where a paragraph was among it. */
  makeRoom: (name: string) => boolean
  open: (name: string, visibility: number) => void
  /** Opens a list, or a cell, whose items are its own. */
  openList: (name: string, visibility: number, next: number | null) => void
  close: (name: string) => void
  visibility: () => number
  list: () => List
  /** How many lists are around. */
  depth: () => number
}>

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '))
/** Elements that no end tag of an inline element ends (HTML standard, 13.2.6.4.7). */
const BLOCKS = words(
  'address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main menu nav ol p pre section summary table tbody td tfoot th thead tr ul caption button',
)
const CELLS = words('td th caption')
const TABLE_PARTS = words('table tbody tfoot thead tr td th caption')
/** The start tag of a block ends a paragraph, but for these, which are inside a table. */
const IN_TABLE = words('tbody tfoot thead tr td th caption button')

type Inline = Readonly<{ name: string; visibility: number }>
/** `names`: how many of each inline element are open in it; null while there was none. */
type Block = Inline & { readonly inline: Inline[]; names: Map<string, number> | null }
/** What no end tag looks beyond: a table, or one of its cells. `names`: how many of each are open in it. */
type Scope = Readonly<{ kind: 'cell' | 'table'; names: Map<string, number> }>

const block = (name: string, visibility: number): Block => ({ name, visibility, inline: [], names: null })
const count = (names: Map<string, number>, name: string, by: number): void => {
  names.set(name, (names.get(name) ?? 0) + by)
}

/**
 * Ends elements as the HTML standard has it: those whose end tag may be missing, none by a stray end tag, and no block by the end tag of an
 * inline element. Whether an element is open is counted, not searched: time grows with the number of tags.
 */
export function openElements(visibility: number = SHOWN): OpenElements {
  const root = block('', visibility)
  const blocks: Block[] = [root]
  const scopes: Scope[] = [{ kind: 'table', names: new Map() }]
  const lists: List[] = [{ next: null, openItems: 0 }]
  let depth = 0

  const top = (): Block => blocks.at(-1) ?? root
  const scope = (): Scope['names'] => scopes.at(-1)?.names ?? new Map()
  const list = (): List => lists.at(-1) ?? { next: null, openItems: 0 }
  /** The names in the scope of the table, also from inside a cell. */
  const tableScope = (): Scope['names'] => (scopes.at(-1)?.kind === 'cell' ? (scopes.at(-2)?.names ?? new Map()) : scope())

  const isListName = (name: string): boolean => name === 'ul' || name === 'ol' || name === 'menu' || name === 'dir'

  const pop = (): string => {
    const { name } = blocks.pop() ?? root
    if (name === 'table' || CELLS.has(name)) scopes.pop()
    if (isListName(name) || CELLS.has(name)) lists.pop()
    if (isListName(name)) depth--
    if (name === 'li') list().openItems--
    count(scope(), name, -1)
    return name
  }
  const popTo = (name: string): void => {
    while (blocks.length > 1 && pop() !== name);
  }
  const closeBlock = (name: string): void => {
    if (TABLE_PARTS.has(name)) closeTablePart(name)
    else if ((scope().get(name) ?? 0) > 0) popTo(name)
  }
  const closeTablePart = (name: string): void => {
    // The scope of a table is opened by it, so it is counted in the one around.
    if (name === 'table') {
      if (scopes.length > 1) popTo('table')
    } else if ((tableScope().get(name) ?? 0) > 0) popTo(name)
  }
  const closeInline = (name: string): void => {
    const { inline, names } = top()
    if (names === null || (names.get(name) ?? 0) === 0) return
    for (let open = inline.pop(); open !== undefined; open = inline.pop()) {
      count(names, open.name, -1)
      if (open.name === name) return
    }
  }
  const makeRoom = (name: string): boolean => {
    if (CELLS.has(name)) for (const cell of CELLS) closeTablePart(cell)
    else if (name === 'tr') closeTablePart('tr')
    else if (name === 'tbody' || name === 'thead' || name === 'tfoot') for (const part of ['tbody', 'thead', 'tfoot']) closeTablePart(part)
    else if (name === 'li') while (list().openItems > 0) popTo('li')
    else if (name === 'dd' || name === 'dt') for (const part of ['dd', 'dt']) closeBlock(part)
    if (!BLOCKS.has(name) || IN_TABLE.has(name) || (scope().get('p') ?? 0) === 0) return false
    closeBlock('p')
    return true
  }
  const open = (name: string, visible: number): void => {
    if (!BLOCKS.has(name)) {
      const around = top()
      around.inline.push({ name, visibility: visible })
      around.names ??= new Map()
      count(around.names, name, 1)
      return
    }
    blocks.push(block(name, visible))
    count(scope(), name, 1)
    if (name === 'li') list().openItems++
    if (name === 'table' || CELLS.has(name)) scopes.push({ kind: name === 'table' ? 'table' : 'cell', names: new Map() })
    if (CELLS.has(name)) lists.push({ next: null, openItems: 0 })
  }
  return {
    makeRoom,
    open,
    openList: (name, visible, next) => {
      open(name, visible)
      lists.push({ next, openItems: 0 })
      depth++
    },
    close: (name) => (BLOCKS.has(name) ? closeBlock(name) : closeInline(name)),
    visibility: () => top().inline.at(-1)?.visibility ?? top().visibility,
    list,
    depth: () => depth,
  }
}
