import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useWords } from '../words/words.tsx'
import styles from './data-table.module.css'
import { nextSort } from './sort.ts'

export type Column<Row> = Readonly<{
  key: string
  header: string
  cell: (row: Row) => ReactNode
  /** The name by which the API sorts. */
  sort?: string
  numeric?: boolean
}>

export type TableProps<Row> = Readonly<{
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string
  /** The first cell leads there. */
  rowLink?: (row: Row) => string
  sort?: string
  onSort?: (sort: string) => void
  /** Old rows stay while new ones come. */
  stale?: boolean
  /** Rows that can be chosen, each by a box before it. */
  choosing?: Choosing<Row>
}>

export type Choosing<Row> = Readonly<{
  isChosen: (row: Row) => boolean
  /** All that are named become chosen, or not. */
  onChoose: (rows: readonly Row[], chosen: boolean) => void
  /** What the box of a row is called. */
  label: (row: Row) => string
  labelOfAll: string
}>

/** Rows with headers; on a narrow screen each row is a block of its own. `j` and `k` go from row to row (app/key-listener.tsx). */
export function DataTable<Row>({ label, columns, rows, rowKey, rowLink, sort, onSort, stale = false, choosing }: TableProps<Row>) {
  return (
    <table className={styles.table} data-stale={stale} aria-label={label} aria-busy={stale}>
      <thead>
        <tr>
          {choosing && (
            <th scope="col" className={styles.box}>
              <Box
                label={choosing.labelOfAll}
                checked={rows.length > 0 && rows.every(choosing.isChosen)}
                onChange={(chosen) => choosing.onChoose(rows, chosen)}
              />
            </th>
          )}
          {columns.map((column) => (
            <Header key={column.key} column={column} {...(sort !== undefined && { sort })} {...(onSort && { onSort })} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)}>
            {choosing && (
              <td className={styles.box}>
                <Box label={choosing.label(row)} checked={choosing.isChosen(row)} onChange={(chosen) => choosing.onChoose([row], chosen)} />
              </td>
            )}
            {columns.map((column, index) => (
              <td key={column.key} data-label={column.header} data-numeric={column.numeric === true}>
                {index === 0 && rowLink ? (
                  <Link to={rowLink(row)} data-row className={styles.link}>
                    {column.cell(row)}
                  </Link>
                ) : (
                  column.cell(row)
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

type BoxProps = Readonly<{ label: string; checked: boolean; onChange: (checked: boolean) => void }>

function Box({ label, checked, onChange }: BoxProps) {
  return <input type="checkbox" aria-label={label} checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
}

type HeaderProps<Row> = Readonly<{ column: Column<Row>; sort?: string; onSort?: (sort: string) => void }>

function Header<Row>({ column, sort, onSort }: HeaderProps<Row>) {
  const { ui } = useWords()
  const name = column.sort
  if (name === undefined || onSort === undefined)
    return (
      <th scope="col" data-numeric={column.numeric === true}>
        {column.header}
      </th>
    )
  const direction = sort === `${name}:asc` ? 'ascending' : sort === `${name}:desc` ? 'descending' : 'none'
  return (
    <th scope="col" aria-sort={direction} data-numeric={column.numeric === true}>
      <button type="button" className={styles.sort} onClick={() => onSort(nextSort(sort, name))} title={ui.sortBy(column.header)}>
        {column.header} <span aria-hidden="true">{direction === 'ascending' ? '↑' : direction === 'descending' ? '↓' : '↕'}</span>
      </button>
    </th>
  )
}
