import type { Pool } from 'pg'

const OURS = `n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'`

/** Each query answers lines of SQL, in an order that only names decide. */
const COLUMNS = `
  select format('%I.%I', n.nspname, c.relname) as owner, format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod))
    || case when a.attcollation <> t.typcollation then format(' collate %I', co.collname) else '' end
    || case when a.attidentity <> '' then ' generated as identity' else coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') end
    || case when a.attnotnull then ' not null' else '' end as line
  from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
    join pg_type t on t.oid = a.atttypid left join pg_collation co on co.oid = a.attcollation
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped and ${OURS} order by 1, a.attnum`

const CONSTRAINTS = `
  select format('%I.%I', n.nspname, c.relname) as owner, format('constraint %I %s', k.conname, pg_get_constraintdef(k.oid)) as line
  from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
  where k.contype <> 'n' and ${OURS} order by 1, k.conname`

const OPTIONS = `
  select format('%I.%I', n.nspname, c.relname) as owner, concat_ws(', ', case c.relpersistence when 'u' then 'unlogged' end, array_to_string(c.reloptions, ', ')) as line
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'p') and ${OURS} order by 1`

const INDICES = `
  select format('%I.%I', n.nspname, c.relname) as owner, pg_get_indexdef(i.indexrelid) as line
  from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
  where ${OURS} and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid) order by 1, 2`

const REST = `
  select format('create sequence %I.%I', n.nspname, c.relname) as line from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'S' and ${OURS} and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype in ('a', 'i'))
  union all
  select rtrim(pg_get_functiondef(p.oid)) from pg_proc p join pg_namespace n on n.oid = p.pronamespace where ${OURS}
    and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  union all
  select pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
  where not t.tgisinternal and ${OURS} order by 1`

type Line = Readonly<{ owner: string; line: string }>

const byOwner = (lines: readonly Line[]): ReadonlyMap<string, readonly string[]> => {
  const grouped = new Map<string, string[]>()
  for (const { owner, line } of lines) grouped.set(owner, [...(grouped.get(owner) ?? []), line])
  return grouped
}

/** The whole schema as text for people to review: the same for the same schema, whatever made it. It is never run. */
export async function schemaText(pool: Pool): Promise<string> {
  const ask = async <Row extends object>(query: string) => (await pool.query<Row>(query)).rows
  const columns = byOwner(await ask<Line>(COLUMNS))
  const constraints = byOwner(await ask<Line>(CONSTRAINTS))
  const options = byOwner(await ask<Line>(OPTIONS))
  const indices = byOwner(await ask<Line>(INDICES))
  const tables = [...columns].map(([table, lines]) => {
    const inside = [...lines, ...(constraints.get(table) ?? [])].map((line) => `  ${line}`).join(',\n')
    const [option = ''] = options.get(table) ?? []
    const after = (indices.get(table) ?? []).map((line) => `${line};`)
    return [`create table ${table} (\n${inside}\n)${option === '' ? '' : ` with (${option})`};`, ...after].join('\n')
  })
  const rest = (await ask<Pick<Line, 'line'>>(REST)).map(({ line }) => `${line};`)
  return `${[...tables, ...rest].join('\n\n')}\n`
}
