import { useId } from 'react'
import type { Campaign, CampaignFigures } from '../../api/calls.ts'
import { CampaignProgress, useCampaignFigures } from '../../ui/campaign-progress.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Problem } from '../../ui/problem.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import styles from './campaign.module.css'
import { leaderOf } from './leader.ts'

export const COUNTS = ['queued', 'sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained', 'unsubscribed'] as const

/** What became of a campaign that was started: how far it is, what people did, and what was not sent. */
export function Figures({ campaign }: Readonly<{ campaign: Campaign }>) {
  const { campaign: words } = useWords()
  const titleId = useId()
  const { data, error, refetch } = useCampaignFigures(campaign.id)
  return (
    <section aria-labelledby={titleId}>
      <h2 id={titleId} className={styles.title}>
        {words.figures}
      </h2>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && (
        <div className={styles.live}>
          <Live figures={data} />
          <Counts figures={data} />
          {data.variants.length > 1 && <Variants campaign={campaign} figures={data} />}
          {data.notSent.length > 0 && <NotSent figures={data} />}
        </div>
      )}
    </section>
  )
}

function Live({ figures }: Readonly<{ figures: CampaignFigures }>) {
  const { campaign: words } = useWords()
  const { status, audience, perMinute, secondsLeft } = figures
  const isLive = status === 'sending'
  return (
    <p className={styles.line}>
      {audience > 0 && <CampaignProgress figures={figures} />}
      {isLive && audience === 0 && <span>{figures.reason === 'rule_computing' ? words.ruleComputing : words.audienceTaken}</span>}
      {perMinute !== null && <span>{words.rate(perMinute)}</span>}
      {secondsLeft !== null && <span>{words.left(secondsLeft)}</span>}
      {isLive && <span className={styles.quiet}>{words.goesOn}</span>}
    </p>
  )
}

function Counts({ figures }: Readonly<{ figures: CampaignFigures }>) {
  const { campaign: words, locale } = useWords()
  return (
    <dl className={styles.counts}>
      {COUNTS.map((name) => (
        <div key={name}>
          <dt>{words.counts[name]}</dt>
          <dd>{figures[name].toLocaleString(locale)}</dd>
        </div>
      ))}
    </dl>
  )
}

type VariantRow = CampaignFigures['variants'][number] & Readonly<{ name: string; label: string; isAhead: boolean }>

const percent = (part: number, of: number, locale: string): string =>
  of === 0 ? '–' : (part / of).toLocaleString(locale, { style: 'percent', maximumFractionDigits: 1 })

const variantColumns = ({ campaign: words, locale }: Words): readonly Column<VariantRow>[] => [
  {
    key: 'variant',
    header: words.variant,
    cell: ({ label, name, isAhead }) => (
      <>
        {label} <bdi>{name}</bdi>
        {isAhead && ` ★ ${words.ahead}`}
      </>
    ),
  },
  { key: 'sent', header: words.counts.sent, numeric: true, cell: ({ sent }) => sent.toLocaleString(locale) },
  { key: 'opened', header: words.counts.opened, numeric: true, cell: ({ opened, sent }) => percent(opened, sent, locale) },
  { key: 'clicked', header: words.counts.clicked, numeric: true, cell: ({ clicked, sent }) => percent(clicked, sent, locale) },
  { key: 'bounced', header: words.counts.bounced, numeric: true, cell: ({ bounced }) => bounced.toLocaleString(locale) },
  {
    key: 'unsubscribed',
    header: words.counts.unsubscribed,
    numeric: true,
    cell: ({ unsubscribed }) => unsubscribed.toLocaleString(locale),
  },
]

/** Variants have letters: people do not count wordings from 0. */
const letterOf = (index: number): string => (index < 26 ? String.fromCharCode(65 + index) : String(index + 1))

function Variants({ campaign, figures }: Readonly<{ campaign: Campaign; figures: CampaignFigures }>) {
  const words = useWords()
  const leader = leaderOf(figures.variants)
  const names = new Map(campaign.templates.map(({ id, name }) => [id, name]))
  const rows = figures.variants.map((variant, index) => ({
    ...variant,
    label: letterOf(index),
    name: names.get(variant.templateId) ?? variant.templateId,
    isAhead: leader?.index === index,
  }))
  const { campaign: said } = words
  return (
    <>
      <DataTable label={said.variants} columns={variantColumns(words)} rows={rows} rowKey={({ label }) => label} />
      <p>{leader === null ? said.noLeader : said.leader(letterOf(leader.index), said.counts[leader.by], leader.surely)}</p>
    </>
  )
}

type Reason = CampaignFigures['notSent'][number]

const reasonColumns = ({ campaign: words, messages, locale }: Words): readonly Column<Reason>[] => [
  { key: 'reason', header: messages.reason, cell: ({ reason }) => <bdi lang="en">{reason}</bdi> },
  { key: 'outcome', header: messages.status, cell: ({ outcome }) => <bdi lang="en">{outcome}</bdi> },
  { key: 'messages', header: words.messages, numeric: true, cell: ({ messages }) => messages.toLocaleString(locale) },
]

function NotSent({ figures }: Readonly<{ figures: CampaignFigures }>) {
  const words = useWords()
  return (
    <>
      <h3>{words.campaign.notSent}</h3>
      <DataTable
        label={words.campaign.notSent}
        columns={reasonColumns(words)}
        rows={figures.notSent}
        rowKey={({ outcome, reason }) => `${outcome} ${reason}`}
      />
    </>
  )
}
