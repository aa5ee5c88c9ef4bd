#!/usr/bin/env bash
# The main job on real data: builds what it needs, then runs the demo. Under two minutes after the build.
set -euo pipefail
cd "$(dirname "$0")/.."
Tools/setup

traits=(--traits Server)
echo "demo: building (minutes the first time)"
swift build -c release "${traits[@]}" --product cachetool
swift build -c release "${traits[@]}" --product larder-demo
exec "$(swift build -c release "${traits[@]}" --show-bin-path)/larder-demo" "$@"
