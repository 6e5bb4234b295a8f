import { Refused, type WorkspaceId } from '@tidings/domain'
import type { Pool } from 'pg'

/** Sends an hour; `off` for no limit. */
export type VolumeLimits = Readonly<{ workspacePerHour: number | 'off'; prefixPerHour: number | 'off' }>

/** What refused a send: five to the number, or too many of the workspace, to one prefix or altogether. */
export type Cap = 'number' | 'prefix' | 'workspace'

type CapsOptions = Readonly<{
  pool: Pool
  keyRing: Readonly<{ claimDigest: (workspaceId: WorkspaceId, kind: string, value: string) => Promise<string> }>
  limits: VolumeLimits
  onRefused?: (cap: Cap) => void
}>

type CappedNumber = Readonly<{ workspaceId: WorkspaceId; phone: string }>

/** How often passcodes may be sent, over all processes. Both refuse with the time until the cap allows another. */
export type SendCaps = Readonly<{
  /** Refuses where the number had its five sends; counts nothing. */
  check: (to: CappedNumber) => Promise<void>
  /** Counts a send, or refuses it and counts nothing. If two run at once, the second sees the first. */
  take: (to: CappedNumber) => Promise<void>
}>

const SENDS = 5
const SENDS_MS = 10 * 60_000
const HOUR_MS = 60 * 60_000
/** A number without them is a block of ten thousand: traffic that is made for its fees goes to whole blocks. */
const SUBSCRIBER_DIGITS = 4

const CHECK = {
  name: 'passcodes_check_cap',
  text: `select (sent[1] + $3::bigint - ops.now_ms())::float8 as retry_ms from ops.passcode_number
    where workspace_id = $1 and number = $2 and cardinality(sent) >= $4 and sent[1] <= ops.now_ms()`,
}
const TAKE = {
  name: 'passcodes_take_cap',
  text: 'select refused, retry_ms::float8 from ops.take_passcode($1, $2, $3, $4, $5, $6, $7, $8)',
}

export function createSendCaps({ pool, keyRing, limits, onRefused }: CapsOptions): SendCaps {
  const perHour = [limits.workspacePerHour, limits.prefixPerHour].map((limit) => (limit === 'off' ? null : limit))
  const numberDigest = ({ workspaceId, phone }: CappedNumber) => keyRing.claimDigest(workspaceId, 'passcode number', phone)
  const prefixDigest = ({ workspaceId, phone }: CappedNumber) =>
    keyRing.claimDigest(workspaceId, 'passcode prefix', phone.slice(0, -SUBSCRIBER_DIGITS))

  const refuse = (cap: Cap, retryMs: number): never => {
    onRefused?.(cap)
    const retryAfterSeconds = Math.max(1, Math.ceil(retryMs / 1_000))
    throw new Refused(cap === 'number' ? 'otp_cap_reached' : 'otp_volume_cap_reached', { retryAfterSeconds })
  }

  return {
    check: async (to) => {
      const values = [to.workspaceId, await numberDigest(to), SENDS_MS, SENDS]
      const { rows } = await pool.query<{ retry_ms: number }>({ ...CHECK, values })
      if (rows[0] !== undefined && rows[0].retry_ms > 0) refuse('number', rows[0].retry_ms)
    },
    take: async (to) => {
      const values = [to.workspaceId, await numberDigest(to), await prefixDigest(to), SENDS, SENDS_MS, ...perHour, HOUR_MS]
      const { rows } = await pool.query<{ refused: Cap; retry_ms: number }>({ ...TAKE, values })
      if (rows[0] !== undefined) refuse(rows[0].refused, rows[0].retry_ms)
    },
  }
}

const EXPIRE_NUMBERS = `delete from ops.passcode_number where ctid = any (array(
  select ctid from ops.passcode_number where last_at <= ops.now_ms() - $2::bigint order by last_at limit $1 for update skip locked))`
const EXPIRE_WINDOWS = `delete from ops.passcode_window where ctid = any (array(
  select ctid from ops.passcode_window where ends <= ops.now_ms() order by ends limit $1 for update skip locked))`

/** Retention job: removes at most `limit` counts of each kind whose time is over; answers the larger number. */
export async function deleteExpiredCaps(pool: Pool, limit: number): Promise<number> {
  const numbers = await pool.query(EXPIRE_NUMBERS, [limit, SENDS_MS])
  const windows = await pool.query(EXPIRE_WINDOWS, [limit])
  return Math.max(numbers.rowCount ?? 0, windows.rowCount ?? 0)
}
