import { normalizeEmail } from '@tidings/addresses'
import type { UserConfigured, UserRemoved } from '@tidings/domain'
import { defineProjection, defineTable, row } from '@tidings/projections'
import type { UserRow } from '@tidings/read-models'

const users = defineTable<UserRow<string>>({
  name: 'users',
  columns: { workspace_id: 'uuid', id: 'uuid', email: 'text', role: 'text', created_at: 'timestamptz', updated_at: 'timestamptz' },
  key: ['workspace_id', 'id'],
  indices: [{ name: 'email', on: 'email, workspace_id' }],
})

/** The workspaces that an address may sign in to. The log says whether the password is right. */
export const usersProjection = defineProjection<UserConfigured | UserRemoved>({
  name: 'users',
  version: 2,
  tables: [users],
  reads: ({ type, data, meta: { workspaceId } }) => (type === 'UserConfigured' ? [row(users, workspaceId, data.userId)] : []),
  on: {
    UserConfigured: ({ data: { userId, email: written, role }, erased, meta: { workspaceId, at } }, rows) => {
      if (erased) return rows.delete(users, workspaceId, userId)
      // The form in which a sign-in asks for it (M46), whatever form a log from before has.
      const email = normalizeEmail(written)
      const known = rows.get(users, workspaceId, userId)
      rows.put(users, { workspace_id: workspaceId, id: userId, email, role, created_at: known?.created_at ?? at, updated_at: at })
    },

    UserRemoved: ({ data: { userId }, meta: { workspaceId } }, rows) => rows.delete(users, workspaceId, userId),
  },
})
