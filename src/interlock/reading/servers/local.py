"""The tools of servers that work on this machine: files, repositories, databases, notes, the time."""

from __future__ import annotations

__all__ = ["TOOLS"]

_FILESYSTEM = """
create_directory does path:folder
directory_tree does path:list excludePatterns
edit_file does path:edit edits dryRun
get_file_info does path:list
list_allowed_directories looks
list_directory does path:list
list_directory_with_sizes does path:list sortBy
move_file does source:move destination:write
read_file does path:read head tail
read_media_file does path:read
read_multiple_files does paths:read
read_text_file does path:read head tail
search_files does path:list pattern excludePatterns
write_file does path:write content
"""
_GIT = """
git_add does repo_path files = git -C {repo_path} add -- {files*}
git_branch does repo_path branch_type contains not_contains = git -C {repo_path} branch --list
git_checkout does repo_path branch_name = git -C {repo_path} checkout {branch_name} --
git_commit does repo_path message = git -C {repo_path} commit -m {message}
git_create_branch does repo_path branch_name base_branch = git -C {repo_path} branch {branch_name}
git_diff does repo_path target context_lines = git -C {repo_path} diff {target} --
git_diff_staged does repo_path context_lines = git -C {repo_path} diff --cached
git_diff_unstaged does repo_path context_lines = git -C {repo_path} diff
git_log does repo_path max_count start_timestamp end_timestamp = git -C {repo_path} log
git_reset does repo_path = git -C {repo_path} reset
git_show does repo_path revision = git -C {repo_path} show {revision} --
git_status does repo_path = git -C {repo_path} status
"""
_MEMORY = """
add_observations keeps observations
create_entities keeps entities
create_relations keeps relations
delete_entities forgets entityNames
delete_observations forgets deletions
delete_relations forgets relations
open_nodes looks names
read_graph looks
search_nodes looks query
"""
_SQLITE = """
append_insight looks insight
create_table does query:sql
describe_table looks table_name
list_tables looks
read_query does query:sql
write_query does query:sql
"""
_TIME = """
convert_time looks source_timezone time target_timezone
get_current_time looks timezone
"""
_THINKING = """
sequentialthinking looks thought nextThoughtNeeded thoughtNumber totalThoughts isRevision revisesThought \
branchFromThought branchId needsMoreThoughts
"""
TOOLS = {
    "filesystem": _FILESYSTEM,
    "git": _GIT,
    "memory": _MEMORY,
    "postgres": "query does sql:sql",
    "sequential-thinking": _THINKING,
    "sqlite": _SQLITE,
    "time": _TIME,
}
