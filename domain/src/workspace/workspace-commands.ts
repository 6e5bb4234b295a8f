import type { Command } from '../kernel.ts'
import type {
  ApiKeyCreated,
  FormConfigured,
  FormOriginsSet,
  SenderAddressConfigured,
  SenderDomainConfigured,
  WorkspaceCreated,
  WorkspaceFeaturesSet,
  WorkspaceSettings,
  WorkspaceStatus,
} from './workspace.events.ts'

export type CreateWorkspace = Command<'CreateWorkspace', WorkspaceCreated['data']>
export type ChangeWorkspaceSettings = Command<'ChangeWorkspaceSettings', Partial<WorkspaceSettings>>
export type ChangeWorkspaceStatus = Command<'ChangeWorkspaceStatus', { status: WorkspaceStatus }>
export type CreateApiKey = Command<'CreateApiKey', ApiKeyCreated['data']>
export type RevokeApiKey = Command<'RevokeApiKey', { keyId: string }>
export type DeleteApiKey = Command<'DeleteApiKey', { keyId: string }>
export type ConfigureSenderDomain = Command<'ConfigureSenderDomain', SenderDomainConfigured['data']>
export type ConfigureSenderAddress = Command<'ConfigureSenderAddress', SenderAddressConfigured['data']>
export type SetFeatures = Command<'SetFeatures', WorkspaceFeaturesSet['data']>
/** Each origin as a browser sends it (`formOrigin`). */
export type SetFormOrigins = Command<'SetFormOrigins', FormOriginsSet['data']>
export type ConfigureForm = Command<'ConfigureForm', FormConfigured['data']>

export type WorkspaceCommand =
  | CreateWorkspace
  | ChangeWorkspaceSettings
  | ChangeWorkspaceStatus
  | CreateApiKey
  | RevokeApiKey
  | DeleteApiKey
  | ConfigureSenderDomain
  | ConfigureSenderAddress
  | SetFeatures
  | SetFormOrigins
  | ConfigureForm
