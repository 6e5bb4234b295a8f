import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Page as ApiPage, queryOf, type TemplateOption } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'
import { CopyId } from '../../ui/copy.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'

const LIMIT = 50

const columnsIn = ({ templates: words, profiles, channels, ui }: Words): readonly Column<TemplateOption>[] => [
  { key: 'name', header: words.name, cell: ({ label }) => <bdi>{label}</bdi> },
  { key: 'channel', header: profiles.channel, cell: ({ channel }) => channels[channel] },
  { key: 'fields', header: words.fields, cell: ({ mergeFields }) => <bdi dir="ltr">{mergeFields.join(', ') || ui.none}</bdi> },
  { key: 'id', header: ui.id, cell: ({ value }) => <CopyId id={value} /> },
]

export function Component() {
  const words = useWords()
  const [offset, setOffset] = useState(0)
  const result = useQuery({
    queryKey: [...keys.templates, offset],
    queryFn: ({ signal }) => client.read<ApiPage<TemplateOption>>(`/dashboard/templates${queryOf({ limit: LIMIT, offset })}`, signal),
    placeholderData: keepPreviousData,
  })
  return (
    <Page title={words.templates.title}>
      <PagedTable
        result={result}
        table={{ label: words.templates.title, columns: columnsIn(words), rowKey: ({ value }) => value }}
        empty={<Empty text={words.templates.empty} />}
        onMove={setOffset}
      />
    </Page>
  )
}
