import { Tooltip } from '@mantine/core'
import { useWords } from '../words/words.tsx'
import { exactTime, shortTime } from './time-text.ts'
import { useZone } from './zone.tsx'

/** A moment; in a table the exact one is shown on hover alone, elsewhere on focus as well. */
export function Time({ at, inTable = false }: Readonly<{ at: string | null; inTable?: boolean }>) {
  const { locale, ui } = useWords()
  const { zone } = useZone()
  if (at === null) return <span>{ui.none}</span>
  const moment = new Date(at)
  const exact = exactTime(moment, { locale, zone })
  const short = shortTime(moment, { now: new Date(), locale, zone })
  if (inTable)
    return (
      <time dateTime={at} title={exact}>
        {short}
      </time>
    )
  return (
    <Tooltip label={exact} events={{ hover: true, focus: true, touch: true }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the exact time is shown on focus, for those who use no mouse. */}
      <time dateTime={at} tabIndex={0}>
        {short}
      </time>
    </Tooltip>
  )
}
