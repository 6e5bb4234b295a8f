export { type FlowReferences, flowDefinition } from './flow-definition.ts'
export { parseWorkspaceFile, WorkspaceFileError } from './parse.ts'
export { ruleOfFile } from './rule-of-file.ts'
export { WorkspaceFile } from './schema.ts'
