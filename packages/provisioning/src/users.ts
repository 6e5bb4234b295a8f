import { normalizeEmail } from '@tidings/addresses'
import { user } from '@tidings/domain'
import { findUser, hashPassword, isPasswordOf } from '@tidings/sign-in'
import type { Provisioner } from './provisioner.ts'
import type { Applying, Step } from './steps.ts'

/** A hash that fits the password is kept: applying a file twice changes nothing. */
export function userSteps({ to, workspaceId, file }: Applying): readonly Step[] {
  return (file.users ?? []).map(({ email, password, role }) => ({
    what: normalizeEmail(email),
    run: async () => {
      const { userId, stream, state: known } = await findUser(loadFrom(to), { workspaceId, email })
      const isKept = known !== null && (await isPasswordOf(known.passwordHash, password))
      const passwordHash = isKept ? known.passwordHash : await hashPassword(password)
      const data = { userId, email: normalizeEmail(email), passwordHash, role }
      return await to.execute(workspaceId, user, stream, { type: 'ConfigureUser', data })
    },
  }))
}

/** The id of each user of the file, by its address as it is written there. */
export async function userIds({ to, workspaceId, file }: Omit<Applying, 'onRecord'>): Promise<Readonly<Record<string, string>>> {
  const ids = (file.users ?? []).map(async ({ email }) => [email, (await findUser(loadFrom(to), { workspaceId, email })).userId] as const)
  return Object.fromEntries(await Promise.all(ids))
}

const loadFrom =
  (to: Provisioner): Parameters<typeof findUser>[0] =>
  ({ workspaceId, decider, stream }) =>
    to.load(workspaceId, decider, stream)
