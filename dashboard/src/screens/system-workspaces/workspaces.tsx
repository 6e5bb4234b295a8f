import { Button, Group, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import type { SystemWorkspace } from '../../api/calls.ts'
import { paths } from '../../paths.ts'
import { AddCredits } from '../../ui/add-credits.tsx'
import { CursorRows } from '../../ui/cursor-rows.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { TypedFilter } from '../../ui/typed-filter.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { NewWorkspace } from './new-workspace.tsx'
import { useWorkspaces, type WorkspaceStatus } from './workspaces.api.ts'

const STATUSES: readonly WorkspaceStatus[] = ['active', 'suspended', 'closed']

const columnsIn = (all: Words, onCredits: (slug: string) => void): readonly Column<SystemWorkspace>[] => {
  const { systemWorkspaces: words, workspace, credits, ui, locale } = all
  const number = (value: number | null) => value?.toLocaleString(locale) ?? ui.none
  return [
    { key: 'slug', header: workspace.slug, cell: ({ slug }) => <bdi dir="ltr">{slug}</bdi> },
    { key: 'name', header: words.name, cell: ({ name }) => <bdi>{name}</bdi> },
    { key: 'plan', header: workspace.plan, cell: ({ plan }) => <bdi lang="en">{plan}</bdi> },
    { key: 'status', header: workspace.status, cell: ({ status }) => <Status word={status} /> },
    { key: 'profiles', header: words.profiles, cell: ({ profiles }) => number(profiles), numeric: true },
    { key: 'available', header: words.available, cell: ({ available }) => number(available), numeric: true },
    { key: 'waiting', header: words.waiting, cell: ({ waiting }) => number(waiting), numeric: true },
    { key: 'created', header: words.created, cell: ({ createdAt }) => <Time at={createdAt} inTable /> },
    {
      key: 'acts',
      header: words.acts,
      cell: ({ slug, status }) =>
        status === 'active' && (
          <Button variant="default" size="compact-xs" onClick={() => onCredits(slug)} aria-label={`${credits.add}: ${slug}`}>
            {credits.add}
          </Button>
        ),
    },
  ]
}

/** Every workspace of the installation. */
export function Component() {
  const all = useWords()
  const { nav, systemWorkspaces: words } = all
  const [params, setParams] = useSearchParams()
  const [isNew, setNew] = useState(false)
  const [credited, setCredited] = useState<string | null>(null)
  const asked = { search: params.get('search') ?? '', status: params.get('status') ?? '' }
  const pages = useWorkspaces(asked)
  const ask = (changed: Partial<typeof asked>): void =>
    setParams(Object.fromEntries(Object.entries({ ...asked, ...changed }).filter(([, value]) => value !== '')), { replace: true })
  return (
    <Page title={nav.workspaces} actions={<Button onClick={() => setNew(true)}>{words.add}</Button>}>
      <NewWorkspace opened={isNew} onClose={() => setNew(false)} />
      <AddCredits opened={credited !== null} workspace={credited ?? ''} onClose={() => setCredited(null)} />
      <search>
        <Group align="end">
          <TypedFilter label={words.search} help={words.searchHelp} value={asked.search} onChange={(search) => ask({ search })} />
          <NativeSelect
            label={words.statusFilter}
            value={asked.status}
            data={[{ value: '', label: words.anyStatus }, ...STATUSES]}
            onChange={(event) => ask({ status: event.currentTarget.value })}
          />
        </Group>
      </search>
      <CursorRows pages={pages} empty={<Empty text={words.empty} />}>
        {(rows) => (
          <DataTable
            label={nav.workspaces}
            columns={columnsIn(all, setCredited)}
            rows={rows}
            rowKey={({ id }) => id}
            rowLink={({ slug }) => paths.systemWorkspace(slug)}
            stale={pages.isPlaceholderData}
          />
        )}
      </CursorRows>
    </Page>
  )
}
