import { randomBytes } from 'node:crypto'
import { emailKey, normalizeDomain, normalizeEmail } from '@tidings/addresses'
import { recordIdOf, uuidv7 } from '@tidings/codec'
import type { StoredEvent } from '@tidings/commands'
import {
  type ConfigureList,
  type ConfigureTemplate,
  type Decider,
  ownValue,
  type TemplateCreated,
  type TemplateId,
  type WorkspaceCommand,
  type WorkspaceId,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import { formOrigin } from './workspace-file/form-origin.ts'
import { ruleOfFile } from './workspace-file/rule-of-file.ts'
import type { TemplateOfFile, WorkspaceFile } from './workspace-file/schema.ts'

/** One command of a workspace file, and the natural key that people know the record by. */
export type ConfigureCommand = Readonly<{ what: string; command: WorkspaceCommand }>

/** Creation first: where the workspace exists it is already so, and the settings follow. */
export function settingsCommands(workspaceId: WorkspaceId, file: WorkspaceFile): readonly ConfigureCommand[] {
  const { slug, name, plan = 'free' } = file.workspace
  const { country, tracking } = file
  const settings = { name, plan, ...(country !== undefined && { country }), ...(tracking !== undefined && { tracking }) }
  return [
    { what: slug, command: { type: 'CreateWorkspace', data: { workspaceId, slug, country: 'IL', tracking: false, ...settings } } },
    { what: slug, command: { type: 'ChangeWorkspaceSettings', data: settings } },
    ...embeddedFormCommands(file),
    ...smsReplyCommands(file),
    ...stopWordCommands(file),
    ...marketingCommands(file),
  ]
}

/** Settings like any other: a section that is given says all of it, one that is left out says nothing. */
const embeddedFormCommands = ({ features, formOrigins }: WorkspaceFile): readonly ConfigureCommand[] => {
  const origins = (formOrigins ?? []).flatMap((origin) => formOrigin(origin) ?? [])
  return [
    ...(features === undefined ? [] : [{ what: words(features), command: { type: 'SetFeatures', data: { features } } } as const]),
    ...(formOrigins === undefined ? [] : [{ what: words(origins), command: { type: 'SetFormOrigins', data: { origins } } } as const]),
  ]
}

/** All of them at once, as the features are: an answer that the section leaves out is not given any more. */
const smsReplyCommands = ({ smsReplies }: WorkspaceFile): readonly ConfigureCommand[] => {
  if (smsReplies === undefined) return []
  const { stop = null, start = null, help = null } = smsReplies
  return [{ what: words(Object.keys(smsReplies)), command: { type: 'SetSmsReplies', data: { stop, start, help } } }]
}

const stopWordCommands = ({ stopWords }: WorkspaceFile): readonly ConfigureCommand[] =>
  stopWords === undefined ? [] : [{ what: words(stopWords), command: { type: 'SetStopWords', data: { words: stopWords } } }]

/** Null takes a rule back; what is left out stays. */
const marketingCommands = ({ timezone, quietHours, frequencyCap }: WorkspaceFile): readonly ConfigureCommand[] => {
  const rules = {
    ...(timezone !== undefined && { timezone }),
    ...(quietHours !== undefined && { quietHours }),
    ...(frequencyCap !== undefined && { frequencyCap }),
  }
  const given = Object.keys(rules)
  return given.length === 0 ? [] : [{ what: words(given), command: { type: 'ChangeMarketingRules', data: rules } }]
}

const words = (all: readonly string[]): string => all.join(', ') || 'none'

/**
 * Domains first, so that no address is ever verified under a domain that is not there. What the file does not say of a domain, DNS says
 * (M25); a mailbox that is not the operator's word is asked (M14). `at`: ISO.
 */
export function senderCommands(workspaceId: WorkspaceId, file: WorkspaceFile, at: string): readonly ConfigureCommand[] {
  return [
    ...(file.senderDomains ?? []).map(({ domain, verified = null, blocklisted = null }): ConfigureCommand => {
      const data = { domain: normalizeDomain(domain), verified, blocklisted, ...(verified === null && { token: newToken() }) }
      return { what: data.domain, command: { type: 'ConfigureSenderDomain', data } }
    }),
    ...(file.senderAddresses ?? []).map(({ email, name = null, verified = false }): ConfigureCommand => {
      const address = normalizeEmail(email)
      const data = {
        addressId: senderAddressIdOf(workspaceId, address),
        email: address,
        name,
        status: verified ? ('verified' as const) : ('pending' as const),
        confirmation: { confirmationId: uuidv7(), at },
      }
      return { what: address, command: { type: 'ConfigureSenderAddress', data } }
    }),
  ]
}

/** 128 bits: no other workspace, here or elsewhere, has the same. */
const newToken = (): string => randomBytes(16).toString('hex')

/** Read back from the log: a domain keeps the token that it got first. Those that the operator vouches for may have none. */
export async function domainTokens(
  to: Readonly<{ load: <C, E extends StoredEvent, S>(workspaceId: WorkspaceId, decider: Decider<C, E, S>, stream: string) => Promise<S> }>,
  workspaceId: WorkspaceId,
  file: WorkspaceFile,
): Promise<Record<string, string>> {
  const { senderDomains } = await to.load(workspaceId, workspace, workspaceStream(workspaceId))
  const names = (file.senderDomains ?? []).map(({ domain }) => normalizeDomain(domain))
  return Object.fromEntries(
    names.flatMap((name) => {
      const token = ownValue(senderDomains, name)?.token ?? null
      return token === null ? [] : [[name, token]]
    }),
  )
}

/** The same for every spelling of the address (M46). */
const senderAddressIdOf = (workspaceId: WorkspaceId, email: string): string => recordIdOf(workspaceId, 'sender', emailKey(email))

export function senderAddressIds(workspaceId: WorkspaceId, file: WorkspaceFile): Readonly<Record<string, string>> {
  return Object.fromEntries((file.senderAddresses ?? []).map(({ email }) => [email, senderAddressIdOf(workspaceId, email)]))
}

export function templateCommands(workspaceId: WorkspaceId, file: WorkspaceFile): readonly ConfigureTemplate[] {
  return (file.templates ?? []).map((wanted) => ({
    type: 'ConfigureTemplate',
    data: templateData(recordIdOf(workspaceId, 'template', wanted.name), wanted),
  }))
}

export function listCommands(workspaceId: WorkspaceId, file: WorkspaceFile): readonly ConfigureList[] {
  return (file.lists ?? []).map(({ name, type, rule }) => ({
    type: 'ConfigureList',
    data: {
      listId: recordIdOf(workspaceId, 'list', name),
      name,
      listType: type,
      ...(type === 'dynamic' && { rule: ruleOfFile(rule) }),
    },
  }))
}

const nothing = { subject: null, html: null, text: null, body: null, push: null }

const contentOf = (file: TemplateOfFile) => {
  switch (file.channel) {
    case 'email':
      return { subject: file.subject, html: file.html, text: file.text ?? null }
    case 'sms':
      return { body: file.body }
    case 'push':
      return { push: { title: file.push.title, body: file.push.body, url: file.push.url ?? null, icon: file.push.icon ?? null } }
    default:
      return file satisfies never
  }
}

/** A template of the file as the domain stores it: what its channel does not use is null. */
function templateData(templateId: TemplateId, file: TemplateOfFile): TemplateCreated['data'] {
  return {
    templateId,
    name: file.name,
    channel: file.channel,
    archived: file.archived ?? false,
    ...nothing,
    fromName: file.fromName ?? null,
    ...contentOf(file),
  }
}
