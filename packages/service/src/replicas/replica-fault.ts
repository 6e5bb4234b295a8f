import type { Look } from './look-at-server.ts'

export const IS_STRAY =
  'holds what the database never had: it followed another server, or the database was restored; make it anew from the database'

export const IS_OF_ANOTHER = 'is a replica of another server'

type LookContext = Readonly<{
  isAway: boolean
  /** That of the primary, or, before its first answer, of the replica that answered first; null before any. */
  system: string | null
  isStray: boolean
  lagMs: number | null
  lagSeconds: number
}>

/** Why a replica is not read, as the end of a sentence; null where it is. */
export function faultOf(look: Look | Error, { isAway, system, isStray, lagMs, lagSeconds }: LookContext): string | null {
  if (look instanceof Error) return `does not answer: ${look.message}`
  if (!look.isReplica) return 'takes writes itself: it is no replica, or was promoted'
  if (system !== null && look.system !== system) return IS_OF_ANOTHER
  if (isStray) return IS_STRAY
  if (isAway) return null
  if (lagMs === null) return `is more than ${lagSeconds} s behind, or begins to catch up`
  return lagMs > lagSeconds * 1_000 ? `is ${Math.round(lagMs / 1_000)} s behind` : null
}
