import type { Stores } from '@tidings/service/stores'
import type { Finding } from './doctor-finding.ts'

type Found = Readonly<{ missing: readonly string[]; indexed: boolean }>

const CREATE = 'Let a role that may create extensions run'
const REBUILD = '`tidings projection rebuild profiles`'

/** Whether searches of profiles have their index. They work without it, so this is advice. */
export async function checkSearch({ pool }: Pick<Stores, 'pool'>): Promise<Finding> {
  const { rows } = await pool.query<Found>(`select
    array(select name from unnest(array['pg_trgm', 'btree_gin']) name where name not in (select extname from pg_extension)) as missing,
    to_regclass('read.profile_search_trigrams') is not null as indexed`)
  const { missing, indexed } = rows[0] ?? { missing: [], indexed: false }
  if (indexed) return { check: 'search', ok: true, said: 'profiles are found by a trigram index' }
  const said = 'there is no trigram index, so that a search reads every profile of the workspace.'
  const create = missing.map((name) => `create extension ${name};`).join(' ')
  const mend = missing.length > 0 ? `${CREATE} \`${create}\`, then ${REBUILD}.` : `Run ${REBUILD}.`
  return { check: 'search', ok: true, said, mend }
}
