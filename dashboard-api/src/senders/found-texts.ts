import { type FoundTexts, printable } from '@tidings/administration'
import type { WorkspaceId } from '@tidings/domain'
import type { Pool } from 'pg'

/** What DNS said of a domain when somebody last asked. */
export type LookedUp = Readonly<{ at: string; found: FoundTexts }>

type LookedUpRow = Readonly<{ domain: string; looked_up_at: Date; found: FoundTexts }>

/** Finds what DNS said of each domain of the workspace that somebody asked about. */
export async function lookedUpDomains(pool: Pool, workspaceId: WorkspaceId): Promise<ReadonlyMap<string, LookedUp>> {
  const { rows } = await pool.query<LookedUpRow>(
    'select domain, looked_up_at, found from ops.sender_domain_check where workspace_id = $1 and looked_up_at is not null and found is not null',
    [workspaceId],
  )
  return new Map(rows.map(({ domain, looked_up_at, found }) => [domain, { at: looked_up_at.toISOString(), found }]))
}

/** The daily look-ups are not due again for what was asked just now. */
const KEEP = `
  insert into ops.sender_domain_check as c (workspace_id, domain, proof_asked_at, listing_asked_at, looked_up_at, found)
  values ($1, $2, $3, $3, $3, $4)
  on conflict (workspace_id, domain) do update set looked_up_at = excluded.looked_up_at, found = excluded.found,
    proof_asked_at = greatest(c.proof_asked_at, excluded.proof_asked_at),
    listing_asked_at = greatest(c.listing_asked_at, excluded.listing_asked_at)`

type AskedDomain = Readonly<{ workspaceId: WorkspaceId; domain: string }>

/** `at`: from before DNS was asked. */
export async function keepLookedUp(pool: Pool, { workspaceId, domain }: AskedDomain, { at, found }: LookedUp): Promise<void> {
  await pool.query(KEEP, [workspaceId, domain, at, JSON.stringify(bounded(found))])
}

/** A text of more is no record that somebody published by hand: a key of RSA takes 800 characters at most. DNS may say 64 KB of each name. */
const MAX_LENGTH = 1_000
const MAX_OF_NAME = 4_000

const bounded = (found: FoundTexts): FoundTexts =>
  Object.fromEntries(Object.entries(found).map(([name, texts]) => [name, texts === null ? null : boundedTexts(texts)]))

const boundedTexts = (texts: readonly string[]): readonly string[] => {
  const kept: string[] = []
  let length = 0
  for (const text of texts.toSorted(recordsFirst).map((one) => printable(one, MAX_LENGTH))) {
    length += text.length
    if (length > MAX_OF_NAME) break
    kept.push(text)
  }
  return kept
}

/** A domain has texts of many others beside its own SPF. */
const recordsFirst = (one: string, other: string): number => Number(isRecord(other)) - Number(isRecord(one))
const isRecord = (text: string): boolean => /^v=(spf1|dmarc1|dkim1)/i.test(text)
