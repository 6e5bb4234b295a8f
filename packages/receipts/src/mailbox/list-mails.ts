import type { ImapFlow } from 'imapflow'

/** `uidValidity`: where it differs, UIDs of before mean nothing (RFC 9051 §2.3.1.1). `uids` ascend; `more`: there may be others behind them. */
export type Listing = Readonly<{ uidValidity: bigint; uids: readonly number[]; more: boolean }>

/** Mails of one answer: its line stays below 64 KiB, where a folder of 60 000 would make one that is refused. */
const WINDOW = 5_000
/** Another client that expunges meanwhile moves what is looked at. */
const MAX_LOOKS = 5

/**
 * The UIDs behind `after.uid`, the oldest first, and from the first on where the folder is another than it was. Mails are found by their place in the
 * folder, which every server says (EXISTS): UIDNEXT may be missing, and UIDs may have gaps of millions.
 */
export async function listMails(client: ImapFlow, folder: string, after: Readonly<{ uidValidity: bigint; uid: number }>): Promise<Listing> {
  for (let look = 0; look < MAX_LOOKS; look++) {
    // Opened anew: only that says how far the folder goes now, and whether it is still the same.
    const { uidValidity, exists } = await client.mailboxOpen(folder)
    const behind = uidValidity === after.uidValidity ? after.uid : 0
    const first = await firstBehind(client, behind, exists)
    if (first === null) return { uidValidity, uids: [], more: false }
    const last = Math.min(first + WINDOW - 1, exists)
    const uids = await uidsAt(client, Math.max(first - 1, 1), last)
    // The mail before is in the answer: where it is behind the cursor too, places have moved, and others may be before it.
    if (first === 1 || (uids[0] ?? Number.POSITIVE_INFINITY) <= behind)
      return { uidValidity, uids: uids.filter((uid) => uid > behind), more: last < exists }
  }
  throw new Error('the folder changes while it is read')
}

/** The place of the first mail whose UID is greater; null where there is none. New mail is at the end, so the search begins there. */
async function firstBehind(client: ImapFlow, uid: number, exists: number): Promise<number | null> {
  if (exists === 0 || !(await isBehind(client, exists, uid))) return null
  let [before, found] = [0, exists]
  for (let step = 1; before === 0 && found - step > 0; step *= 2) {
    if (await isBehind(client, found - step, uid)) found -= step
    else before = found - step
  }
  while (found - before > 1) {
    const middle = Math.floor((before + found) / 2)
    if (await isBehind(client, middle, uid)) found = middle
    else before = middle
  }
  return found
}

/** A place that is gone by now is behind everything. */
async function isBehind(client: ImapFlow, place: number, uid: number): Promise<boolean> {
  const mail = await client.fetchOne(String(place), { uid: true })
  return mail === false || mail === undefined || mail.uid > uid
}

async function uidsAt(client: ImapFlow, first: number, last: number): Promise<readonly number[]> {
  const found = await client.search({ seq: `${first}:${last}` }, { uid: true })
  if (found === false || found === undefined) throw new Error('the search was refused')
  return found.sort((one, other) => one - other)
}
