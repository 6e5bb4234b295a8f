import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { exactTime } from '../../ui/time-text.ts'
import { useTyped } from '../../ui/use-typed.ts'
import { useZone } from '../../ui/zone.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './consent.module.css'
import { lineOf, localMoment, parseAt, placeOn } from './consent-line.ts'

/** Something that happened; `to`: the consent that it made. */
type Dot = Readonly<{ key: string; at: string; title: string; to?: string }>

type Props = Readonly<{
  createdAt: string
  dots: readonly Dot[]
  at: string | null
  onAt: (at: string | null) => void
}>

/** More dots than this are a line. */
const DOTS = 300

/** A line from the beginning to now with a dot for each thing that happened: a moment is chosen by dragging, by the arrow keys, or by typing it. */
export function MomentSlider({ createdAt, dots, at, onAt }: Props) {
  const { consent: words, locale } = useWords()
  const { zone } = useZone()
  const [now] = useState(() => Date.now())
  const line = lineOf({ createdAt, said: dots.map((dot) => dot.at), now })
  const shown = at === null ? line.to : Date.parse(at)
  const choose = (moment: number): void => onAt(moment >= line.to ? null : new Date(moment).toISOString())
  const text = at === null ? words.now : exactTime(new Date(at), { locale, zone })
  return (
    <div className={styles.chooser}>
      <div className={styles.line}>
        <span className={styles.dots} aria-hidden="true">
          {dots.slice(-DOTS).map((dot) => (
            <span
              key={dot.key}
              className={styles.dot}
              data-to={dot.to}
              title={dot.title}
              style={{ insetInlineStart: `${placeOn(line, dot.at)}%` }}
            />
          ))}
        </span>
        <input
          type="range"
          aria-label={words.line}
          aria-valuetext={text}
          min={line.from}
          max={line.to}
          step={Math.max(1, Math.round((line.to - line.from) / 1_000))}
          value={Math.min(line.to, Math.max(line.from, shown))}
          onChange={(event) => choose(Number(event.currentTarget.value))}
        />
        <span className={styles.ends} aria-hidden="true">
          <span>{words.created}</span>
          <span>{words.now}</span>
        </span>
      </div>
      <MomentField at={at} onAt={onAt} now={now} />
    </div>
  )
}

const textOf = (at: string | null): string => (at === null ? '' : localMoment(at))

function MomentField({ at, onAt, now }: Pick<Props, 'at' | 'onAt'> & Readonly<{ now: number }>) {
  const { consent: words } = useWords()
  // The line, a statement and the way back to now choose a moment as well.
  const { text, type, asks } = useTyped(textOf(at))
  return (
    <TextInput
      type="datetime-local"
      step={1}
      label={words.at}
      value={text}
      max={localMoment(new Date(now).toISOString())}
      onChange={(event) => {
        const { value } = event.currentTarget
        type(value)
        const moment = parseAt(value, now)
        if (moment === null && value !== '') return
        asks(textOf(moment))
        onAt(moment)
      }}
    />
  )
}
