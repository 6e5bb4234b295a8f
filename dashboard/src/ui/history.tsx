import { Button, Group } from '@mantine/core'
import { type QueryKey, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../api/client.ts'
import { useCursorPages } from '../api/cursor-pages.ts'
import type { Words } from '../words/en.ts'
import { useWords } from '../words/words.tsx'
import { CodeDifference } from './code-editor.tsx'
import { CursorRows } from './cursor-rows.tsx'
import { type Column, DataTable } from './data-table.tsx'
import styles from './history.module.css'
import { Loading } from './loading.tsx'
import { Problem } from './problem.tsx'
import { Time } from './time.tsx'
import { useSubmitKey } from './use-submit-key.ts'

type Version = Readonly<{ version: number; at: string; by: string; what: keyof Words['template']['what']; restoredFrom: number | null }>

/** A record that has versions: where the API has it, what is kept of it, and the text of a version's content. */
type Props<R, Content> = Readonly<{
  path: string
  queryKey: QueryKey
  record: R
  /** The content as it is now, as text. */
  now: string
  asText: (content: Content) => string
  /** What is not saved would be lost by restoring. */
  isSaved: boolean
  onRestored: (record: R) => void
}>

const columnsIn = ({ template: words }: Words, onCompare: (version: number) => void): readonly Column<Version>[] => [
  { key: 'version', header: words.version, numeric: true, cell: ({ version }) => version },
  {
    key: 'what',
    header: words.done,
    cell: ({ what, restoredFrom }) => (restoredFrom === null ? words.what[what] : words.restoredFrom(restoredFrom)),
  },
  { key: 'by', header: words.by, cell: ({ by }) => <bdi dir="ltr">{by}</bdi> },
  { key: 'at', header: words.at, cell: ({ at }) => <Time at={at} inTable /> },
  {
    key: 'compare',
    header: words.compare,
    cell: ({ version }) => (
      <Button variant="default" size="compact-xs" aria-label={`${words.compare}: ${version}`} onClick={() => onCompare(version)}>
        {words.compare}
      </Button>
    ),
  },
]

/** Versions of a record, the last first; each can be compared with how it is now, and restored. */
export function History<R extends Readonly<{ etag: string }>, Content>(props: Props<R, Content>) {
  const { path, queryKey } = props
  const words = useWords()
  const [compared, setCompared] = useState<number | null>(null)
  const pages = useCursorPages<Version>({ queryKey: [...queryKey, 'versions'], path: `${path}/versions` })
  return (
    <div className={styles.history}>
      <CursorRows pages={pages} empty={null}>
        {(rows) => (
          <DataTable
            label={words.template.history}
            columns={columnsIn(words, setCompared)}
            rows={rows}
            rowKey={({ version }) => String(version)}
          />
        )}
      </CursorRows>
      {compared !== null && <Compared key={compared} {...props} version={compared} />}
    </div>
  )
}

function Compared<R extends Readonly<{ etag: string }>, Content>(props: Props<R, Content> & Readonly<{ version: number }>) {
  const { path, queryKey, record, now, asText, isSaved, onRestored, version } = props
  const { template: words } = useWords()
  const queries = useQueryClient()
  const { key: idempotencyKey, renew, onError } = useSubmitKey()
  const { data, error, refetch } = useQuery({
    queryKey: [...queryKey, 'version', version],
    queryFn: ({ signal }) => client.read<Readonly<{ content: Content }>>(`${path}/version?version=${version}`, signal),
  })
  const restoring = useMutation({
    mutationFn: () => client.write<R>(`${path}/versions`, { body: { version }, ifMatch: record.etag, idempotencyKey }),
    onSuccess: async ({ data: restored }) => {
      // The record may get other content, and this version then once more.
      renew()
      onRestored(restored)
      await queries.invalidateQueries({ queryKey: queryKey.slice(0, 1) })
    },
    onError,
  })
  if (error) return <Problem error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading />
  const earlier = asText(data.content)
  const isSame = earlier === now
  return (
    <section aria-label={words.compared(version)} className={styles.history}>
      <h2 className={styles.title}>{words.compared(version)}</h2>
      {isSame && <p>{words.same}</p>}
      {!isSame && (
        <CodeDifference before={now} after={earlier} label={words.compared(version)}>
          {restoring.error && <Problem error={restoring.error} />}
          <Group>
            <Button loading={restoring.isPending} disabled={!isSaved} onClick={() => restoring.mutate()}>
              {words.restoreVersion(version)}
            </Button>
            {!isSaved && <span className={styles.muted}>{words.unsaved}</span>}
          </Group>
        </CodeDifference>
      )}
    </section>
  )
}
