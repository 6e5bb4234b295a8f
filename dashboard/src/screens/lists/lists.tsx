import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { type Page as ApiPage, type List, queryOf } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { useLead } from '../../ui/use-lead.ts'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { NewList } from './new-list.tsx'

const LIMIT = 50

const columnsIn = ({ lists: words, locale }: Words): readonly Column<List>[] => [
  { key: 'name', header: words.name, cell: ({ name }) => <bdi>{name}</bdi> },
  { key: 'type', header: words.type, cell: ({ type }) => (type === 'static' ? words.static : words.dynamic) },
  { key: 'members', header: words.members, numeric: true, cell: ({ profiles }) => profiles.toLocaleString(locale) },
]

export function Component() {
  const words = useWords()
  const slug = useSlug()
  const lead = useLead()
  const [isAdding, { open, close }] = useDisclosure(false)
  const [offset, setOffset] = useState(0)
  const result = useQuery({
    queryKey: [...keys.lists, offset],
    queryFn: ({ signal }) => client.read<ApiPage<List>>(`/dashboard/lists${queryOf({ limit: LIMIT, offset })}`, signal),
    placeholderData: keepPreviousData,
  })
  return (
    <Page
      title={words.lists.title}
      actions={
        <>
          <Button onClick={open}>{words.lists.newTitle}</Button>
          <Button component={Link} to={paths.newList(slug)}>
            {words.rules.newTitle}
          </Button>
        </>
      }
    >
      <NewList opened={isAdding} onClose={close} onDone={(id) => lead(paths.list(slug, id))} />
      <PagedTable
        result={result}
        table={{ label: words.lists.title, columns: columnsIn(words), rowKey: ({ id }) => id, rowLink: ({ id }) => paths.list(slug, id) }}
        empty={<Empty text={words.lists.empty} />}
        onMove={setOffset}
      />
    </Page>
  )
}
