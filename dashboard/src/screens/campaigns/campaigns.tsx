import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Page as ApiPage, type CampaignOption, queryOf } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { MOVING_MS, nextPoll } from '../../api/polling.ts'
import { keys } from '../../api/query-keys.ts'
import { CopyId } from '../../ui/copy.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { Status } from '../../ui/status.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'

const LIMIT = 50

const columnsIn = ({ campaigns: words, profiles, channels, ui, messages }: Words): readonly Column<CampaignOption>[] => [
  { key: 'name', header: words.name, cell: ({ label }) => <bdi>{label}</bdi> },
  { key: 'channel', header: profiles.channel, cell: ({ channel }) => channels[channel] },
  { key: 'status', header: messages.status, cell: ({ status }) => <Status word={status} /> },
  { key: 'id', header: ui.id, cell: ({ value }) => <CopyId id={value} /> },
]

export function Component() {
  const words = useWords()
  const [{ text, offset }, setAsked] = useState({ text: '', offset: 0 })
  const [search] = useDebouncedValue(text, 250)
  const result = useQuery({
    queryKey: [...keys.campaigns, search, offset],
    queryFn: ({ signal }) =>
      client.read<ApiPage<CampaignOption>>(`/dashboard/campaigns${queryOf({ search, limit: LIMIT, offset })}`, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some(({ status }) => status === 'sending') ? nextPoll(MOVING_MS) : false),
  })
  return (
    <Page title={words.campaigns.title}>
      <TextInput
        label={words.campaigns.search}
        value={text}
        maxLength={255}
        maw={400}
        onChange={(event) => setAsked({ text: event.currentTarget.value, offset: 0 })}
      />
      <PagedTable
        result={result}
        table={{ label: words.campaigns.title, columns: columnsIn(words), rowKey: ({ value }) => value }}
        empty={<Empty text={search === '' ? words.campaigns.empty : words.campaigns.noMatch} />}
        onMove={(next) => setAsked({ text, offset: next })}
      />
    </Page>
  )
}
