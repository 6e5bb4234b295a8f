import type { Pool } from 'pg'
import type { Finding } from './finding.ts'

/** `hidden`: pg_trgm lies in a schema that is not searched for its operator class. */
type SearchExtensions = Readonly<{ missing: readonly string[]; hidden: boolean; indexed: boolean }>

const CREATE = 'Let a role that may create extensions run'
const REBUILD = '`tidings projection rebuild profiles`'

/** Whether searches of profiles have their index. They work without it, so this is advice. */
export async function checkSearch({ pool }: Readonly<{ pool: Pool }>): Promise<Finding> {
  const { rows } = await pool.query<SearchExtensions>(`select
    array(select name from unnest(array['pg_trgm', 'btree_gin']) name where name not in (select extname from pg_extension)) as missing,
    not exists (select from pg_opclass where opcname = 'gin_trgm_ops' and pg_opclass_is_visible(oid)) as hidden,
    to_regclass('read.profile_search_trigrams') is not null as indexed`)
  const { missing, hidden, indexed } = rows[0] ?? { missing: [], hidden: false, indexed: false }
  if (indexed) return { check: 'search', ok: true, said: 'profiles are found by a trigram index' }
  const said = 'there is no trigram index, so that a search reads every profile of the workspace.'
  const create = missing.map((name) => `create extension ${name};`)
  const moved = hidden && !missing.includes('pg_trgm') ? ['alter extension pg_trgm set schema public;'] : []
  const run = [...create, ...moved].join(' ')
  const mend = run === '' ? `Run ${REBUILD}.` : `${CREATE} \`${run}\`, then ${REBUILD}.`
  return { check: 'search', ok: true, said, mend }
}
