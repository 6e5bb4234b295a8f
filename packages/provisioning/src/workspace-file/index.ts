export { parseWorkspaceFile, WorkspaceFileError } from './parse.ts'
export { WorkspaceFile } from './schema.ts'
