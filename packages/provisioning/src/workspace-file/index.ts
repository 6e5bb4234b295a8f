export { parseWorkspaceFile, WorkspaceFileError } from './parse.ts'
export { pendingSections, WorkspaceFile } from './schema.ts'
