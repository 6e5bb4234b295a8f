import { type CustomFieldKind, customFieldDeclarations } from '@tidings/domain'
import { createReferenceCache, type ReferenceCache } from '@tidings/log-views'
import type { Pool } from 'pg'
import type { CustomFieldKinds } from '../directory.ts'
import { rowsAtCheckpoint } from './at-checkpoint.ts'
import { byWorkspace } from './by-workspace.ts'

type CustomFieldKindsRow = Readonly<{ n: number; kinds: Readonly<Record<string, CustomFieldKind>> | null }>

/** What kind each declared property is of, by workspace id; every workspace has an entry. */
export function customFieldsByWorkspace(pool: Pool): ReferenceCache<CustomFieldKinds> {
  return createReferenceCache({
    name: 'custom fields',
    max: 5_000,
    invalidates: byWorkspace(customFieldDeclarations),
    load: rowsAtCheckpoint<CustomFieldKindsRow, CustomFieldKinds>(pool, {
      name: 'directory custom fields',
      projections: ['workspaces', 'custom_fields'],
      values: (ids) => [ids],
      toEntry: ({ kinds }) => new Map(Object.entries(kinds ?? {})),
      select: `select keys.n::int as n,
          (select json_object_agg(f.key, f.kind) from read.custom_fields f where f.workspace_id = w.workspace_id) as kinds
        from unnest($2::uuid[]) with ordinality keys(id, n)
        join read.workspaces w on w.workspace_id = keys.id`,
    }),
  })
}
