import type { Pool } from 'pg'
import type { Finding } from './finding.ts'

type Shared = Readonly<{ slug: string; ids: readonly string[] }>

const SHOWN = 5
/** Reads the index of addresses: one more than is shown, to say that there are more. */
const SHARED = `select w.slug, array_agg(p.id::text order by p.id) as ids
  from read.profiles p join read.workspaces w on w.workspace_id = p.workspace_id
  where p.email is not null group by w.slug, p.workspace_id, p.email having count(*) > 1 order by w.slug, min(p.id::text) limit ${SHOWN + 1}`

/**
 * Whether two contacts of a workspace have one address: a log from before M46 may have them, by two spellings of it. Both are kept, and what names
 * the address reaches one of them. The answer has ids and no address.
 */
export async function checkAddresses({ pool }: Readonly<{ pool: Pool }>): Promise<Finding> {
  const { rows } = await pool.query<Shared>(SHARED)
  if (rows.length === 0) return { check: 'addresses', ok: true, said: 'no two contacts of a workspace have one email address' }
  const named = rows.slice(0, SHOWN).map(({ slug, ids }) => `${ids.join(' and ')} of ${slug}`)
  return {
    check: 'addresses',
    ok: false,
    said: `several contacts have one email address, in spellings that are one (M46): ${named.join('; ')}${rows.length > SHOWN ? '; and more' : ''}`,
    mend: 'Keep one of them: give the other another address by PATCH /public/profiles/{id}, or forget it by `tidings contact erase`.',
  }
}
