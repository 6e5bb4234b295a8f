import { parseMoment } from '@tidings/evidence'
import { WrongUsage } from '../terminal/answer.ts'

/** The moment that `--at` names; null where it was not given. */
export function momentOption(asked: string | undefined): string | null {
  const at = asked === undefined ? null : parseMoment(asked)
  if (asked !== undefined && at === null)
    throw new WrongUsage(`--at ${asked} is no time: write it like 2026-11-21T09:00:00Z or 2026-11-21.`)
  return at
}
