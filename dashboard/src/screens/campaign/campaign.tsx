import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import type { Campaign } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { CopyId } from '../../ui/copy.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { useWords } from '../../words/words.tsx'
import { useCampaign } from './campaign.api.ts'
import { Figures } from './figures.tsx'
import { Moves } from './moves.tsx'
import { People } from './people.tsx'
import { Preview } from './preview.tsx'

/** One campaign: where it is, what it would send or has sent, and what became of that. */
export function Component() {
  const { campaign: words, campaigns } = useWords()
  const { id = '' } = useParams()
  const slug = useSlug()
  const { data, error, refetch } = useCampaign(id)
  return (
    <Page
      title={data?.name ?? campaigns.one}
      back={{ to: paths.campaigns(slug), text: campaigns.title }}
      {...(data && { aside: <Aside campaign={data} />, actions: <Actions campaign={data} /> })}
    >
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && (
        <>
          {data.reason !== null && <p role="status">▲ {words.reasons[data.reason]}</p>}
          {data.startedAt !== null && <Figures campaign={data} />}
          {data.startedAt !== null && <People campaign={data} />}
          <Settings campaign={data} />
          <Preview key={data.etag} campaign={data} />
        </>
      )}
    </Page>
  )
}

function Aside({ campaign: { id, status } }: Readonly<{ campaign: Campaign }>) {
  return (
    <>
      <Status word={status} />
      <CopyId id={id} />
    </>
  )
}

/** What is sent was fixed at the start: settings that are changed afterwards change nothing of it. */
const isEdited = ({ status, startedAt }: Campaign): boolean => startedAt === null && status !== 'cancelled' && status !== 'sent'

function Actions({ campaign }: Readonly<{ campaign: Campaign }>) {
  const { campaign: words } = useWords()
  const slug = useSlug()
  return (
    <>
      <Moves campaign={campaign} />
      {isEdited(campaign) && (
        <Button variant="default" component={Link} to={paths.editCampaign(slug, campaign.id)}>
          {words.edit}
        </Button>
      )}
      <Button variant="default" component={Link} to={paths.newCampaign(slug, campaign.id)}>
        {words.duplicate}
      </Button>
    </>
  )
}

function Settings({ campaign }: Readonly<{ campaign: Campaign }>) {
  const { campaign: words, channels, profiles, ui } = useWords()
  const slug = useSlug()
  const { channel, listId, listName, from, quietHours, scheduleAt, startedAt, movedAt, movedBy } = campaign
  const list = listId === null ? ui.none : <Link to={paths.list(slug, listId)}>{<bdi>{listName ?? listId}</bdi>}</Link>
  const sender = <bdi dir="ltr">{from ?? ui.none}</bdi>
  const by = (
    <>
      <Time at={movedAt} /> <bdi>{movedBy}</bdi>
    </>
  )
  const facts: readonly (readonly [string, ReactNode])[] = [
    [profiles.channel, channels[channel]],
    [words.list, list],
    [words.template, <Templates key="templates" campaign={campaign} />],
    [words.from, sender],
    [words.quietHours, quietHours === 'wait' ? words.quietWait : words.quietSkip],
    ...(scheduleAt === null ? [] : [[words.scheduled, <Time key="scheduled" at={scheduleAt} />] as const]),
    ...(startedAt === null ? [] : [[words.started, <Time key="started" at={startedAt} />] as const]),
    [words.moved, by],
  ]
  return <Facts items={facts} />
}

function Templates({ campaign: { templates, variants } }: Readonly<{ campaign: Campaign }>) {
  const { campaign: words, ui } = useWords()
  if (templates.length === 0) return ui.none
  return (
    <>
      {templates.map(({ id, name, archived }, index) => (
        <div key={`${index} ${id}`}>
          <bdi>{name ?? id}</bdi>
          {variants[index] && ` · ${words.weightOf(variants[index].weight)}`}
          {archived && ` ▲ ${words.archivedTemplate}`}
        </div>
      ))}
    </>
  )
}
