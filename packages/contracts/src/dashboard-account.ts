import { type Static, Type } from '@sinclair/typebox'
import { described } from './described.ts'
import { exampleIds, exampleTime } from './examples.ts'
import { IdParams, nullableText, Timestamp, Uuid, verbatim } from './kinds.ts'

// The signed-in user's own password and sessions (M81).

const ownSession = {
  ...{ id: Uuid, createdAt: Timestamp, usedAt: Timestamp },
  ...{ ip: nullableText(), agent: nullableText(), isThis: Type.Boolean() },
}
const OwnSession = described(Type.Object(ownSession), {
  name: 'OwnSession',
  about: 'A session of the user who asks.',
  fields: {
    id: 'The UUID by which it is ended; it opens nothing.',
    createdAt: 'When it began.',
    usedAt: 'When it was used last, to a minute.',
    ip: 'The address that it was begun from; null where that is not known.',
    agent: 'The browser that it was begun in, as it calls itself; null where that is not known.',
    isThis: 'Whether it is the session that asks.',
  },
})
export type OwnSession = Static<typeof OwnSession>

export const Account = described(
  Type.Object({ hasPassword: Type.Boolean(), wantsCurrent: Type.Boolean(), sessions: Type.Array(OwnSession) }),
  {
    name: 'Account',
    about: 'How the user who asks signs in, and where they are signed in.',
    fields: {
      hasPassword: 'Whether they have a password; without one they sign in by links.',
      wantsCurrent: 'Whether a change wants the current password.',
      sessions: 'Their sessions, the last used first.',
    },
    example: {
      hasPassword: true,
      wantsCurrent: true,
      sessions: [
        {
          ...{ id: exampleIds.user, createdAt: exampleTime, usedAt: exampleTime },
          ...{ ip: '192.0.2.7', agent: 'Mozilla/5.0', isThis: true },
        },
      ],
    },
  },
)
export type Account = Static<typeof Account>

export const ChangePasswordBody = described(
  Type.Object({
    password: Type.String({ minLength: 8, maxLength: 1_024, verbatim: true }),
    current: Type.Optional(verbatim(1_024)),
  }),
  {
    name: 'ChangePasswordBody',
    about: 'A new password of the user who asks.',
    fields: {
      password: 'The new password: 8 to 1024 characters.',
      current: 'The password until now; needed where there is one and the session was not begun by a link within the last hour.',
    },
    example: { password: 'correct horse battery staple', current: 'correct horse battery' },
  },
)

export const SessionParams = IdParams
