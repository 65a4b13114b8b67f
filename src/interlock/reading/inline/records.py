"""`rails runner`: what may be asked of the tables of a project's database, and names that are no such tables."""

from __future__ import annotations

__all__ = ["NO_RECORDS", "RECORDS"]

RECORDS = frozenset(  # these change nothing
    "count all first last find find_by where order limit offset pluck ids exists? sum average minimum maximum group "
    "select distinct joins includes attributes column_names table_name to_sql take none? any? not size".split()
)
NO_RECORDS = frozenset(
    "ARGF BasicObject Binding Bundler Class DATA DRb ENV ERB Etc Fiber Fiddle FileTest FileUtils GC Gem IO "
    "Kernel Marshal "
    "Method Module Net Object ObjectSpace Open3 OpenURI PTY Pathname Proc Process Psych Ractor Rake RbConfig "
    "RubyVM Shell "
    "Signal Socket StringIO Struct TCPServer TCPSocket Tempfile Thread TracePoint UNIXSocket URI WEBrick Rails "
    "ActiveRecord ActiveSupport ActionMailer Zlib Open3 Thor Random Dir File".split()
)
