import { type Static, Type } from '@sinclair/typebox'
import { Credits } from './dashboard-credits.ts'
import { described } from './described.ts'
import { exampleIds, exampleTime } from './examples.ts'
import { nameText, nullableText, oneOf, Timestamp, text, Uuid } from './kinds.ts'
import { keyPageOf } from './pagination.ts'
import { Plan, WorkspaceStatus } from './workspace.ts'

// The workspaces of the installation, and the senders that operators decide about.

const { Optional } = Type
const count = Type.Integer({ minimum: 0 })

/** As the workspace file takes it. */
const slug = Type.String({ pattern: '^[a-z0-9-]{1,24}$' })

export const SystemWorkspacesQuery = described(
  Type.Object({
    ...{ search: Optional(text(255)), status: Optional(WorkspaceStatus), after: Optional(slug) },
    limit: Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  }),
  {
    fields: {
      search: 'A part of the slug or of the name.',
      status: 'Only workspaces of this status.',
      after: 'The `next_cursor` of the page before.',
      limit: 'How many records a page holds at most, 1 to 100.',
    },
  },
)

const identity = { id: Uuid, slug: Type.String(), name: Type.String(), plan: Plan, status: WorkspaceStatus, createdAt: Timestamp }
const identitySentences = {
  id: 'The UUID of the workspace.',
  slug: 'Its public name, which `X-Tidings-Workspace` takes.',
  name: 'What people call it.',
  plan: 'Its plan.',
  status: 'Whether it may be used.',
  createdAt: 'When it was made.',
  profiles: 'The people of whom it has a profile.',
} as const
const identityExample = {
  ...{ id: exampleIds.workspace, slug: 'acme', name: 'Acme Ltd', plan: 'pro' as const, status: 'active' as const },
  createdAt: exampleTime,
}

const SystemWorkspace = described(
  Type.Object({ ...identity, profiles: count, available: Type.Unsafe<number | null>({ type: ['integer', 'null'] }), waiting: count }),
  {
    name: 'SystemWorkspace',
    about: 'A workspace, as operators see it.',
    fields: {
      ...identitySentences,
      available: 'The SMS credits that it can spend; null where it never had any.',
      waiting: 'Its SMS sender IDs that an operator has to decide about.',
    },
    example: { ...identityExample, profiles: 1204, available: 904, waiting: 1 },
  },
)
export type SystemWorkspace = Static<typeof SystemWorkspace>
export const SystemWorkspacePage = keyPageOf(SystemWorkspace)
export type SystemWorkspacePage = Static<typeof SystemWorkspacePage>

const SENDER_KINDS = ['sms', 'domain', 'address'] as const
const SenderDecision = oneOf('approve', 'refuse', 'withdraw')

export const SystemSender = described(
  Type.Object({
    ...{ workspace: Type.String(), workspaceName: Type.String(), kind: oneOf(...SENDER_KINDS), id: Type.String(), name: Type.String() },
    status: oneOf('pending', 'approved', 'rejected', 'deactivated', 'verified', 'failed'),
    ...{ note: nullableText(), decisions: Type.Array(SenderDecision), etag: Type.String() },
  }),
  {
    name: 'SystemSender',
    about: 'A sender of a workspace, with what an operator may decide about it.',
    fields: {
      workspace: 'The slug of the workspace.',
      workspaceName: 'What people call the workspace.',
      kind: 'An SMS sender ID, a domain, or an address that mail is sent from.',
      id: 'The sender ID, the name of the domain, or the UUID of the address.',
      name: 'The sender ID, the name of the domain, or the address.',
      status: 'Of a domain: `verified`, `pending` while DNS does not prove it, or `rejected` by an operator.',
      note: 'Why a sender ID was rejected or an address failed.',
      decisions: 'What may be decided now.',
      etag: 'What `If-Match` of a decision must say.',
    },
    example: {
      ...{ workspace: 'acme', workspaceName: 'Acme Ltd', kind: 'sms' as const, id: 'ACME', name: 'ACME', status: 'pending' as const },
      ...{ note: null, decisions: ['approve' as const, 'refuse' as const], etag: '0'.repeat(64) },
    },
  },
)
export type SystemSender = Static<typeof SystemSender>

export const Approvals = described(Type.Object({ items: Type.Array(SystemSender), has_more: Type.Boolean() }), {
  name: 'Approvals',
  about: 'The senders of all workspaces that are not closed which are neither proved nor decided about.',
  fields: {
    items: 'SMS sender IDs, then domains, then addresses: the 100 of each that have waited longest.',
    has_more: 'Whether there are more, which are shown once these are decided about.',
  },
})
export type Approvals = Static<typeof Approvals>

export const SystemWorkspaceQuery = described(Type.Object({ slug }), { fields: { slug: 'The slug of the workspace.' } })

export const SystemWorkspaceDetail = described(
  Type.Object({
    ...identity,
    statusReason: nullableText(),
    profiles: count,
    credits: Credits,
    senders: Type.Array(SystemSender),
    etag: Type.String(),
  }),
  {
    name: 'SystemWorkspaceDetail',
    about: 'One workspace as of the log, with all that operators decide about.',
    fields: {
      ...identitySentences,
      statusReason: 'Why it has its status, in the words of the operator; null where none were given.',
      credits: 'Its SMS credits.',
      senders: 'Its SMS sender IDs, domains and addresses; at most 500 of each.',
      etag: 'What `If-Match` of another plan must say.',
    },
  },
)
export type SystemWorkspaceDetail = Static<typeof SystemWorkspaceDetail>

export const NewWorkspaceBody = described(
  Type.Object({ slug, name: nameText(255), plan: Plan, country: Type.String({ pattern: '^[A-Z]{2}$' }) }),
  {
    name: 'NewWorkspaceBody',
    about: 'A new workspace.',
    fields: {
      slug: 'Its public name, for good: 1 to 24 of `a` to `z`, `0` to `9` and `-`.',
      name: 'What people call it.',
      plan: 'Its plan.',
      country: 'The country of phone numbers that name none: two letters of ISO 3166.',
    },
    example: { slug: 'spring', name: 'Spring Ltd', plan: 'free', country: 'IL' },
  },
)

export const WorkspaceWithKey = described(Type.Object({ id: Uuid, slug: Type.String(), name: Type.String(), key: Type.String() }), {
  name: 'WorkspaceWithKey',
  about: 'A new workspace with its first API key, which is in no other answer.',
  fields: {
    id: identitySentences.id,
    slug: identitySentences.slug,
    name: identitySentences.name,
    key: 'The whole key, `sk_evt_` and 64 hexadecimal characters.',
  },
  example: { id: exampleIds.workspace, slug: 'spring', name: 'Spring Ltd', key: `sk_evt_${'0123456789abcdef'.repeat(4)}` },
})
export type WorkspaceWithKey = Static<typeof WorkspaceWithKey>

export const ChangePlanBody = described(Type.Object({ plan: Plan }), {
  name: 'ChangePlanBody',
  about: 'The plan of a workspace.',
  fields: { plan: 'The plan.' },
  example: { plan: 'pro' },
})

export const DecideSenderBody = described(
  Type.Object({
    ...{ kind: oneOf(...SENDER_KINDS), id: text(512, { trim: true, notEmpty: true }), decision: SenderDecision },
    reason: Optional(nameText(500)),
  }),
  {
    name: 'DecideSenderBody',
    about: 'What an operator says about a sender.',
    fields: {
      kind: 'The kind of sender.',
      id: 'The sender ID, the name of the domain, or the UUID of the address.',
      decision: '`withdraw`: a sender ID is deactivated, a domain is left to DNS, an address to its mailbox.',
      reason: 'Why a sender ID is refused, which the workspace reads; not taken for anything else.',
    },
    example: { kind: 'sms', id: 'ACME', decision: 'refuse', reason: 'It is the name of somebody else.' },
  },
)
