import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import type { EditedTemplate } from '../../api/calls.ts'
import { CodeDifference } from '../../ui/code-editor.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Time } from '../../ui/time.tsx'
import { useSubmitKey } from '../../ui/use-submit-key.ts'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { asText, draftOf } from './draft.ts'
import { useRestoreVersion, useVersion, useVersions } from './template.api.ts'
import styles from './template.module.css'

type Version = Readonly<{ version: number; at: string; by: string; what: keyof Words['template']['what']; restoredFrom: number | null }>

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

type Props = Readonly<{ template: EditedTemplate; isSaved: boolean; onRestored: (template: EditedTemplate) => void }>

/** Versions of the template, the last first; each can be compared with the texts of now, and restored. */
export function History({ template, isSaved, onRestored }: Props) {
  const words = useWords()
  const [compared, setCompared] = useState<number | null>(null)
  const { data, error, refetch, hasNextPage, fetchNextPage } = useVersions(template.id)
  const rows = data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <div className={styles.form}>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {rows.length > 0 && (
        <DataTable
          label={words.template.history}
          columns={columnsIn(words, setCompared)}
          rows={rows}
          rowKey={({ version }) => String(version)}
        />
      )}
      {hasNextPage && (
        <Button variant="default" onClick={() => void fetchNextPage()}>
          {words.template.earlier}
        </Button>
      )}
      {compared !== null && <Compared key={compared} {...{ template, isSaved, version: compared, onRestored }} />}
    </div>
  )
}

type ComparedProps = Props & Readonly<{ version: number }>

function Compared({ template, isSaved, version, onRestored }: ComparedProps) {
  const { template: words } = useWords()
  const { data, error, refetch } = useVersion(template.id, version)
  const restoring = useRestoreVersion(template.id)
  const { key: idempotencyKey, onError } = useSubmitKey()
  const restore = (): void =>
    restoring.mutate({ version, etag: template.etag, idempotencyKey }, { onSuccess: ({ data: restored }) => onRestored(restored), onError })
  if (error) return <Problem error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading />
  const [earlier, now] = [data.content, template.content].map((content) => asText(template.channel, draftOf(content)))
  const isSame = earlier === now
  return (
    <section aria-label={words.compared(version)} className={styles.form}>
      <h2 className={styles.title}>{words.compared(version)}</h2>
      {isSame ? <p>{words.same}</p> : <CodeDifference before={now ?? ''} after={earlier ?? ''} label={words.compared(version)} />}
      {restoring.error && <Problem error={restoring.error} />}
      <Group>
        <Button loading={restoring.isPending} disabled={isSame || !isSaved} onClick={restore}>
          {words.restoreVersion(version)}
        </Button>
        {!isSaved && <span className={styles.muted}>{words.unsaved}</span>}
      </Group>
    </section>
  )
}
