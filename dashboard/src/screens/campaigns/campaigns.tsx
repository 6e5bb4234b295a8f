import { Button, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { type Page as ApiPage, type CampaignOption, queryOf } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { MOVING_MS, nextPoll } from '../../api/polling.ts'
import { keys } from '../../api/query-keys.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { CampaignProgress, useCampaignFigures } from '../../ui/campaign-progress.tsx'
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
  { key: 'progress', header: words.progress, cell: ({ value, status }) => (isUnderWay(status) ? <Progress id={value} /> : ui.none) },
  { key: 'id', header: ui.id, cell: ({ value }) => <CopyId id={value} /> },
]

const isUnderWay = (status: CampaignOption['status']): boolean => status === 'sending' || status === 'paused'

function Progress({ id }: Readonly<{ id: string }>) {
  const { data } = useCampaignFigures(id)
  return data && <CampaignProgress figures={data} />
}

const SCHEDULED_MS = 15_000

/** How soon a list of campaigns is asked for again: one that is scheduled begins to move by itself. */
const everyOf = (items: readonly CampaignOption[]): number | null =>
  items.some(({ status }) => status === 'sending') ? MOVING_MS : items.some(({ status }) => status === 'scheduled') ? SCHEDULED_MS : null

export function Component() {
  const words = useWords()
  const slug = useSlug()
  const [{ text, offset }, setAsked] = useState({ text: '', offset: 0 })
  const [search] = useDebouncedValue(text, 250)
  const result = useQuery({
    queryKey: [...keys.campaigns, 'list', search, offset],
    queryFn: ({ signal }) =>
      client.read<ApiPage<CampaignOption>>(`/dashboard/campaigns${queryOf({ search, limit: LIMIT, offset })}`, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      const every = everyOf(state.data?.items ?? [])
      return every === null ? false : nextPoll(every, state)
    },
  })
  const add = (
    <Button component={Link} to={paths.newCampaign(slug)}>
      {words.campaigns.add}
    </Button>
  )
  return (
    <Page title={words.campaigns.title} actions={add}>
      <TextInput
        label={words.campaigns.search}
        value={text}
        maxLength={255}
        maw={400}
        onChange={(event) => setAsked({ text: event.currentTarget.value, offset: 0 })}
      />
      <PagedTable
        result={result}
        table={{
          label: words.campaigns.title,
          columns: columnsIn(words),
          rowKey: ({ value }) => value,
          rowLink: ({ value }) => paths.campaign(slug, value),
        }}
        empty={<Empty text={search === '' ? words.campaigns.empty : words.campaigns.noMatch} {...(search === '' && { action: add })} />}
        onMove={(next) => setAsked({ text, offset: next })}
      />
    </Page>
  )
}
