import type { TObject } from '@sinclair/typebox'
import type { ApiRefusalCode, UserRole } from '@tidings/domain'
import type { FastifyRequest } from 'fastify'
import type { DashboardRole } from './auth/dashboard-roles.ts'
import type { Tenant } from './auth/tenant.ts'

/** The header in lower case, and the form of every signature in it. */
export type SignatureHeader = Readonly<{ header: string; form: RegExp }>

/**
 * What leaves no event, and a row of who did it: looks, a copy of a campaign, a link that signs somebody in, what is asked of a webhook, and what becomes
 * of a dead letter.
 */
type NotedAct = 'content' | 'export' | 'proof' | 'copy' | 'link' | 'delivery' | 'signature' | 'retry' | 'discard' | OperatorAct

/** What operators alone do: they read it at the installation, whichever workspace it is about (M121). */
type OperatorAct = 'workspace' | 'decision' | 'projection' | 'credits' | 'plan' | 'status'

/** `thing`: what the act is about. It has no text that somebody wrote, and no address. */
export type InstallationAct = Readonly<{ act: NotedAct; thing: (request: FastifyRequest) => string }>

/** An act as it is noted: in the workspace that the request acts on, or at the installation. */
export type ActNote = Readonly<{ act: NotedAct; at: 'workspace' | 'installation'; thing: string | null }>

/**
 * `reads`: of a GET whose answer follows from the request and the tables of these projections alone, and from no clock; it is answered 304 while they stay
 * (M76). `querystring`: what the query may hold there, where that is more. `notes`: who asks is noted before the handler runs (M86). `operates`: the same
 * at the installation.
 */
export type DashboardDoor = Readonly<{
  role: DashboardRole
  reads?: readonly string[]
  querystring?: TObject
  notes?: NotedAct
  operates?: InstallationAct
}>

/** What a route says about itself in `config`. A route that says nothing needs a key, is throttled, whitelisted and enveloped. */
export type RouteConfig = {
  /**
   * `key`: the header pair is checked and `request.tenant` set. `session`: that of a user, who is `request.user`. `open`: the route looks after
   * itself. Default `key`.
   */
  access?: 'key' | 'session' | 'open'
  /** With `access: 'open'`: it sets `request.tenant` before its handler, so that it takes an `Idempotency-Key`. */
  findsWorkspace?: boolean
  /**
   * Its answer may come from a replica, and says so where that may not show every write that was answered (M107). `together`: it looks one row up, and may share the
   * statement with others of its workspace. Behind the door of the dashboard each GET is `alone` that is not `raw` and does not say `false`.
   */
  onReplicas?: 'alone' | 'together' | false
  /** A read that waits for what it shows, and says so where that was in vain. */
  waitsForReads?: true
  /** A publishable key opens it too (M63). By default only a secret one does. */
  publishable?: boolean
  /** With `access: 'session'`: whether this role may call the route. By default every role may. */
  role?: (role: UserRole) => boolean
  /** The dashboard has it too, for signed-in people of this role and above (M72): `auth/session-door.ts` registers it a second time. */
  dashboard?: DashboardDoor
  /** Set by that door. */
  door?: true
  /** With `access: 'session'`: it acts on no workspace, so an operator needs to name none. `request.tenant` is null for a user of the installation. */
  withoutWorkspace?: boolean
  /** Answers although the workspace is suspended or closed (`GET /public/me`). */
  anyWorkspaceStatus?: boolean
  /** An active key whose tenant header names no workspace gets 404 `Workspace not found` instead of 401 (G2). */
  tellsUnknownTenant?: boolean
  /** `false`: neither bucket. A number: its own default bucket, requests a minute. `forms`: the one that `TIDINGS_RATE_LIMIT_FORMS` sets. */
  throttle?: false | number | 'forms'
  /** The route's callers sign. What has no signature that could be right is refused before its body is read, and alone counts, against the default limit. */
  signature?: SignatureHeader
  /** No envelope, no whitelisting of what it did not declare: assets, `/dev`, receipts, health. */
  raw?: boolean
  /** Takes what a form of a page posts, as well as JSON: one object of texts. */
  form?: true
  /** Keeps the body's bytes as `request.rawBody`, for a signature over them. */
  rawBody?: boolean
  /** The mistake in the bytes of a body, before they are parsed; null if there is none. */
  checkBody?: (request: FastifyRequest, bytes: Buffer) => Error | null
  /** It ends what the caller itself shows: what another caller of the workspace was answered under the same `Idempotency-Key` says nothing about it. */
  ownCallerOnly?: boolean
  /** It changes a record that somebody has read: `If-Match` must name the record's etag (M74), which `expectedEtag` gives to the handler. */
  edits?: true
  /** The answer shows a secret once: it is never stored for `Idempotency-Key` (M1). */
  showsSecret?: boolean
  /** The codes that the route itself may refuse with. The OpenAPI document shows them; another one is counted as undeclared. */
  refusals?: readonly ApiRefusalCode[]
  /** What else it answers with, beside the conventions: for the OpenAPI document. */
  problems?: readonly Readonly<{ status: number; message: string }>[]
}

declare module 'fastify' {
  interface FastifyContextConfig extends RouteConfig {}
  interface FastifyRequest {
    /** The caller's workspace. It is set before validation on every route with `access: 'key'` or `'session'`. On an `open` one it is null until the route sets it. */
    tenant: Tenant
    /** The ids of everything the request creates follow from this id: the same `Idempotency-Key` gives the same one. */
    readonly commandId: string
    /** The moment of everything the request reports: of the first attempt under its `Idempotency-Key`, else `now` (M54). */
    momentOf: (now: string) => string
    /**
     * False once another request may have taken over its `Idempotency-Key`, because this process stood still: what cannot be taken back is
     * then left to that one. To be asked right before a call to the outside.
     */
    readonly mayStillAct: boolean
    rawBody: Buffer | null
  }
}
