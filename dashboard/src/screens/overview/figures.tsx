import { lazy, Suspense } from 'react'
import type { Overview, Figures as ShownFigures } from '../../api/calls.ts'
import { Loading } from '../../ui/loading.tsx'
import { shareOf, stepText } from '../../ui/period.ts'
import { useWords } from '../../words/words.tsx'
import styles from './overview.module.css'

/** Charts are a part of their own, loaded with the first of them. */
const Chart = lazy(() => import('../../ui/chart.tsx'))

const SHARED = ['delivered', 'opened', 'clicked', 'bounced', 'complained'] as const

export function Tiles({ totals, credits }: Pick<ShownFigures, 'totals'> & Pick<Overview, 'credits'>) {
  const { overview: words, locale } = useWords()
  const short = (count: number) => count.toLocaleString(locale, { notation: 'compact', maximumFractionDigits: 1 })
  return (
    <dl className={styles.tiles}>
      <Tile name={words.outcomes.sent} value={short(totals.sent)} exact={totals.sent.toLocaleString(locale)} />
      {SHARED.map((outcome) => (
        <Tile
          key={outcome}
          name={words.outcomes[outcome]}
          value={shareOf(totals[outcome], totals.sent, locale) ?? short(totals[outcome])}
          exact={totals[outcome].toLocaleString(locale)}
        />
      ))}
      {credits && (
        <Tile name={words.credits} value={short(credits.available)} exact={words.heldCredits(credits.held.toLocaleString(locale))} />
      )}
    </dl>
  )
}

function Tile({ name, value, exact }: Readonly<{ name: string; value: string; exact: string }>) {
  return (
    <div className={styles.tile}>
      <dt>{name}</dt>
      <dd>
        {value} <span className={styles.small}>{exact}</span>
      </dd>
    </div>
  )
}

type ChartsProps = Readonly<{ figures: ShownFigures; step: 'day' | 'hour' }>

/** A message is in one of the bars: those without news are sent, and neither delivered nor bounced as far as is known. */
export function Charts({ figures: { steps, consents, zone }, step }: ChartsProps) {
  const { overview: words, channels, locale } = useWords()
  const names = steps.map(({ at }) => stepText(at, { locale, zone, step }))
  const series = (key: string, name: string, values: readonly number[]) => ({ key, name, values })
  const outcome = (key: 'delivered' | 'bounced' | 'failed' | 'opened' | 'clicked' | 'complained') =>
    series(
      key,
      words.outcomes[key],
      steps.map((one) => one[key]),
    )
  const noNews = steps.map(({ sent, delivered, bounced }) => Math.max(0, sent - delivered - bounced))
  const notSent = steps.map(({ suppressed, skipped }) => suppressed + skipped)
  const shared = { stepName: step === 'day' ? words.day : words.hour, steps: names }
  return (
    <Suspense fallback={<Loading />}>
      <div className={styles.charts}>
        <Chart
          {...shared}
          title={step === 'day' ? words.messagesByDay : words.messagesByHour}
          kind="bars"
          series={[
            outcome('delivered'),
            series('noNews', words.noNews, noNews),
            outcome('bounced'),
            outcome('failed'),
            series('notSent', words.notSent, notSent),
          ]}
          more={[outcome('complained'), outcome('opened'), outcome('clicked')]}
        />
        <Chart
          {...shared}
          title={words.consent}
          kind="lines"
          series={consents.map(({ channel, now, change, values }) =>
            series(
              channel,
              `${channels[channel]} ${now.toLocaleString(locale)} (${change.toLocaleString(locale, { signDisplay: 'always' })})`,
              values,
            ),
          )}
        />
      </div>
    </Suspense>
  )
}
