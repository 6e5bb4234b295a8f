import { recordIdOf } from '@tidings/codec'
import {
  type ConfigureConnector,
  type ConfigureCustomField,
  type ConfigureSenderId,
  connectors,
  connectorsStream,
  customEvent,
  customEventStream,
  customField,
  customFieldStream,
  type DeclareCustomEvent,
  senderIds,
  senderIdsStream,
  type WorkspaceId,
  wallet,
  walletStream,
} from '@tidings/domain'
import type { Applying, Step } from './steps.ts'
import type { WorkspaceFile } from './workspace-file/schema.ts'

export function customFieldCommands(workspaceId: WorkspaceId, file: WorkspaceFile): readonly ConfigureCustomField[] {
  return (file.customFields ?? []).map(({ key, label, kind, options = [] }) => ({
    type: 'ConfigureCustomField',
    data: { fieldId: recordIdOf(workspaceId, 'field', key), key, label, kind, options },
  }))
}

const senderIdCommands = (file: WorkspaceFile): readonly ConfigureSenderId[] =>
  (file.smsSenderIds ?? []).map(({ id, status = 'pending' }) => ({ type: 'ConfigureSenderId', data: { senderId: id, status } }))

const customEventCommands = (workspaceId: WorkspaceId, file: WorkspaceFile): readonly DeclareCustomEvent[] =>
  (file.customEvents ?? []).map(({ name, label = name, properties = [], retired = false }) => ({
    type: 'DeclareCustomEvent',
    data: { eventId: recordIdOf(workspaceId, 'event', name), name, label, properties, retired },
  }))

const connectorCommands = (workspaceId: WorkspaceId, file: WorkspaceFile): readonly ConfigureConnector[] =>
  (file.connectors ?? []).map(({ name, secret }) => ({
    type: 'ConfigureConnector',
    data: { connectorId: recordIdOf(workspaceId, 'connector', name), name, secret },
  }))

const creditSteps = ({ to, workspaceId, file: { credits } }: Applying): readonly Step[] => {
  if (credits === undefined) return []
  const command = { type: 'FillNewWallet', data: { amount: credits } } as const
  return [{ what: String(credits), run: () => to.execute(workspaceId, wallet, walletStream(workspaceId), command) }]
}

/** The wallet, and what the lookups list beside templates, tags and lists. */
export function lookupSteps(applying: Applying): readonly Step[] {
  const { to, workspaceId, file } = applying
  return [
    ...creditSteps(applying),
    ...customFieldCommands(workspaceId, file).map((command) => ({
      what: command.data.key,
      run: () => to.execute(workspaceId, customField, customFieldStream(workspaceId, command.data.fieldId), command),
    })),
    ...senderIdCommands(file).map((command) => ({
      what: command.data.senderId,
      run: () => to.execute(workspaceId, senderIds, senderIdsStream(workspaceId), command),
    })),
    ...connectorCommands(workspaceId, file).map((command) => ({
      what: command.data.name,
      run: () => to.execute(workspaceId, connectors, connectorsStream(workspaceId), command),
    })),
    ...customEventCommands(workspaceId, file).map((command) => ({
      what: command.data.name,
      run: () => to.execute(workspaceId, customEvent, customEventStream(workspaceId, command.data.eventId), command),
    })),
  ]
}
