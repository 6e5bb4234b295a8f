import { normalizeEmail } from '@tidings/addresses'
import { user, userStream } from '@tidings/domain'
import { hashPassword, isPasswordOf, userIdOf } from '@tidings/sign-in'
import type { Applying, Step } from './steps.ts'
import type { WorkspaceFile } from './workspace-file/schema.ts'

/** A hash that fits the password is kept: applying a file twice changes nothing. */
export function userSteps({ to, workspaceId, file }: Applying): readonly Step[] {
  return (file.users ?? []).map(({ email, password, role }) => ({
    what: normalizeEmail(email),
    run: async () => {
      const userId = userIdOf(workspaceId, email)
      const stream = userStream(workspaceId, userId)
      const known = await to.load(workspaceId, user, stream)
      const isKept = known !== null && (await isPasswordOf(known.passwordHash, password))
      const passwordHash = isKept ? known.passwordHash : await hashPassword(password)
      const data = { userId, email: normalizeEmail(email), passwordHash, role }
      return await to.execute(workspaceId, user, stream, { type: 'ConfigureUser', data })
    },
  }))
}

export function userIds(workspaceId: string, file: WorkspaceFile): Readonly<Record<string, string>> {
  return Object.fromEntries((file.users ?? []).map(({ email }) => [email, userIdOf(workspaceId, email)]))
}
