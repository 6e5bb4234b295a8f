export { createDirectory, type DirectoryOptions, WorkspaceMissing } from './create-directory.ts'
export * from './directory.ts'
export { workspaceIdOf } from './workspace-id.ts'
