"""Packages that nearly every machine of a developer has: one yes to such a package is a yes to the others.

Anybody can upload to an open registry, so a yes to one name is none to another. A name in this table is the exception:
it has been among the most installed of its registry for years, and whoever steers an agent cannot choose what is in it.
The names are compared whole. From any other index or address the same name is another package, and the grant says so.
"""

from __future__ import annotations

__all__ = ["WELL_KNOWN", "is_near", "is_well_known", "names_like"]

WELL_KNOWN: dict[str, frozenset[str]] = {
    "python": frozenset(
        """
        accelerate adal aiobotocore aiofiles aiohttp aioitertools aiosignal aiosqlite alembic amqp annotated-types
        antlr4-python3-runtime anyio appdirs applicationinsights argcomplete argon2-cffi arrow asgiref asn1crypto
        astroid asttokens async-timeout asyncpg attrs autoflake autopep8 awscli awswrangler azure-core azure-identity
        azure-storage-blob babel backoff bandit bcrypt beautifulsoup4 billiard bitarray black bleach blinker bokeh
        boto3 botocore bs4 build cachetools catboost cattrs celery certifi cffi cfn-lint chardet charset-normalizer
        click click-plugins cloudpickle colorama comm configparser contourpy coverage cryptography cycler cython dash
        dask databricks-sql-connector datasets debugpy decorator deepdiff defusedxml delta-spark diffusers dill
        diskcache distro django django-cors-headers django-filter djangorestframework dnspython docker docopt docutils
        duckdb einops elasticsearch email-validator entrypoints et-xmlfile evaluate exceptiongroup execnet executing
        fabric faker fastapi fastavro fastjsonschema fastparquet filelock flake8 flask flask-cors flask-sqlalchemy flax
        fonttools freezegun frozenlist fsspec gensim geopandas gevent gitpython google-api-core
        google-api-python-client google-auth google-cloud-bigquery google-cloud-core google-cloud-storage
        googleapis-common-protos gradio graphviz greenlet grpcio gunicorn h11 h2 h5py hatch hatchling hiredis httpcore
        httplib2 httptools httpx httpx-sse huggingface-hub humanize hypothesis idna imageio importlib-metadata
        importlib-resources inflection iniconfig invoke ipykernel ipython ipywidgets isodate isort itsdangerous
        jaraco.classes jax jaxlib jedi jinja2 jmespath joblib json5 jsonpatch jsonpath-ng jsonpointer jsonschema
        jsonschema-specifications jupyter jupyter-client jupyter-console jupyter-core jupyter-events jupyter-lsp
        jupyter-server jupyter-server-terminals jupyterlab jupyterlab-pygments jupyterlab-server jupyterlab-widgets
        keras keyring kiwisolver kombu kubernetes langchain langchain-community langchain-core langsmith
        lazy-object-proxy librosa lightgbm litellm llvmlite loguru lxml lz4 mako markdown markdown-it-py markupsafe
        marshmallow marshmallow-dataclass matplotlib matplotlib-inline mccabe mdurl mistune mkdocs mkdocs-material
        mlflow mock more-itertools moto moviepy mpmath msal msal-extensions msgpack msgspec multidict multiprocess mypy
        mypy-extensions mysqlclient nbclient nbconvert nbformat nest-asyncio networkx nltk nodeenv nose notebook
        notebook-shim nox numba numpy oauthlib omegaconf onnx onnxruntime openai opencv-python opencv-python-headless
        openpyxl opt-einsum optuna orjson overrides packaging paho-mqtt pandas pandocfilters papermill parameterized
        paramiko parso passlib pathspec patsy pbr pdfminer.six pdfplumber peewee peft pendulum pexpect pickleshare pika
        pillow pip pip-tools pipenv platformdirs playwright plotly pluggy poetry polars portalocker pre-commit
        pre-commit-hooks prometheus-client prompt-toolkit propcache prophet proto-plus protobuf psutil psycopg psycopg2
        psycopg2-binary ptyprocess pure-eval py py-cpuinfo py4j pyarrow pyasn1 pyasn1-modules pycairo pycodestyle
        pycparser pycryptodome pydantic pydantic-core pydantic-settings pydub pyflakes pygments pyjwt pylint pymongo
        pymupdf pymysql pynacl pyodbc pyopenssl pyparsing pypdf pypdf2 pyperclip pyproject-hooks pyright pyserial
        pysocks pyspark pytest pytest-asyncio pytest-benchmark pytest-cov pytest-django pytest-html pytest-metadata
        pytest-mock pytest-randomly pytest-rerunfailures pytest-runner pytest-sugar pytest-timeout pytest-xdist python
        python-dateutil python-docx python-dotenv python-gnupg python-jose python-json-logger python-levenshtein
        python-magic python-multipart python-pptx python-slugify pytorch pytorch-lightning pytz pywavelets pyxlsb
        pyyaml pyzmq qtconsole rapidfuzz readme-renderer redis referencing regex reportlab requests requests-file
        requests-mock requests-oauthlib requests-toolbelt responses rfc3339-validator rfc3986 rich rpds-py rsa
        ruamel.yaml ruff s3fs s3transfer safetensors scikit-image scikit-learn scipy scrapy seaborn selenium send2trash
        sentence-transformers sentencepiece sentry-sdk setproctitle setuptools setuptools-scm shap shapely shellingham
        simplejson six smart-open smmap sniffio snowballstemmer snowflake-connector-python sortedcontainers
        soundfile soupsieve spacy sphinx sphinx-rtd-theme sphinxcontrib-applehelp sphinxcontrib-htmlhelp sqlalchemy
        sqlmodel sqlparse stack-data starlette statsmodels streamlit stripe structlog sympy tables tabulate tblib
        tenacity tensorboard tensorboardx tensorflow tensorflow-cpu termcolor terminado textblob textual threadpoolctl
        tifffile tiktoken timm tinycss2 tokenizers toml tomli tomlkit toolz torch torchaudio torchmetrics torchvision
        tornado tox tqdm traitlets transformers trio trove-classifiers twine typeguard typer types-python-dateutil
        types-pyyaml types-redis types-requests types-setuptools types-toml typing-extensions typing-inspect tzdata
        ujson unidecode uritemplate urllib3 uv uvicorn uvloop vine virtualenv wandb watchdog watchfiles wcwidth
        webcolors webdriver-manager webencodings websocket websocket-client websockets werkzeug wheel
        widgetsnbextension wrapt xarray xgboost xlrd xlsxwriter xmltodict xxhash yapf yarl yt-dlp zipp zope.interface
        zstandard
        """.split()
    ),
    "node": frozenset(
        """
        @angular/cli @angular/core @aws-sdk/client-dynamodb @aws-sdk/client-s3 @babel/cli @babel/core @babel/parser
        @babel/preset-env @babel/preset-react @babel/preset-typescript @babel/traverse @babel/types @biomejs/biome
        @commitlint/cli @commitlint/config-conventional @emotion/react @emotion/styled @eslint/eslintrc @eslint/js
        @faker-js/faker @fortawesome/fontawesome-free @headlessui/react @heroicons/react @hookform/resolvers
        @jest/globals @mui/material @nestjs/cli @nestjs/common @nestjs/core @nestjs/testing @next/eslint-plugin-next
        @playwright/test @prisma/client @radix-ui/react-dialog @radix-ui/react-slot @reduxjs/toolkit
        @rollup/plugin-commonjs @rollup/plugin-node-resolve @rollup/plugin-typescript @sentry/node @sentry/react
        @storybook/react @supabase/supabase-js @swc/cli @swc/core @tailwindcss/postcss @tailwindcss/typography
        @tanstack/react-query @tanstack/react-table @testing-library/dom @testing-library/jest-dom
        @testing-library/react @testing-library/user-event @tsconfig/node20 @types/chai @types/cors @types/express
        @types/jest @types/lodash @types/mocha @types/node @types/react @types/react-dom @types/supertest @types/uuid
        @types/ws @typescript-eslint/eslint-plugin @typescript-eslint/parser @vitejs/plugin-react @vitejs/plugin-vue
        @vitest/coverage-v8 @vue/cli @vue/test-utils acorn adm-zip ajv angular archiver argparse async autocannon
        autoprefixer aws-sdk axios babel-jest babel-loader bcrypt bcryptjs body-parser bootstrap browserslist bull
        bullmq c8 chai chalk change-case cheerio chokidar classnames cli-table3 clsx color commander compression
        compression-webpack-plugin concurrently cookie-parser copy-webpack-plugin core-js cors create-next-app
        create-react-app create-vite cross-env cspell css-loader cssnano csv-parse cypress d3 date-fns date-fns-tz
        dayjs debug deepmerge depcheck diff dompurify dotenv dotenv-cli dotenv-expand ejs electron ember-cli esbuild
        eslint eslint-config-next eslint-config-prettier eslint-plugin-import eslint-plugin-jest eslint-plugin-jsx-a11y
        eslint-plugin-n eslint-plugin-prettier eslint-plugin-promise eslint-plugin-react eslint-plugin-react-hooks
        eslint-plugin-vue eventemitter3 execa expo express express-rate-limit express-session express-validator
        fast-check fast-glob fastify file-loader find-up firebase firebase-admin fkill-cli form-data formik
        framer-motion fs-extra gatsby glob globals got graphql graphql-tag gulp handlebars helmet highlight.js hono
        html-webpack-plugin http-server husky i18next immer ini inquirer ioredis jasmine jest
        jest-environment-jsdom joi jquery js-yaml jsdom json-server json5 jsonfile jsonwebtoken jwt-decode karma knex
        koa ky lerna less license-checker lint-staged lit lodash lodash-es lru-cache lucide-react luxon madge
        markdown-it markdownlint markdownlint-cli marked mathjs mime mime-types mini-css-extract-plugin minimist mkdirp
        mobx mocha moment mongodb mongoose morgan msw multer mysql2 nanoid ncp next next-auth next-themes nock
        node-cron node-fetch node-sass nodemailer nodemon npm npm-check-updates npm-run-all nuxt nx nyc open openai
        openapi-typescript ora p-limit passport patch-package path-to-regexp pdfkit pg pino playwright pm2 pnpm postcss
        postcss-cli postcss-loader preact prettier prettier-plugin-tailwindcss prisma promise prop-types
        puppeteer qs query-string radash ramda raw-body react react-dom react-hook-form react-i18next react-icons
        react-native react-query react-redux react-router react-router-dom react-scripts react-select
        react-test-renderer react-toastify recharts recoil redis redux reflect-metadata remark request resolve rimraf
        rollup rollup-plugin-terser rxjs sanitize-html sass sass-loader semver sequelize serve serve-static sharp
        shelljs sinon size-limit slugify socket.io socket.io-client solid-js sort-package-json source-map
        source-map-support sqlite3 storybook strip-ansi stripe style-loader styled-components stylelint superagent
        supertest svelte sveltekit svgo swagger-ui-express swr syncpack tailwind-merge tailwindcss tape terser
        terser-webpack-plugin three through2 tinybench ts-jest ts-loader ts-morph ts-node tsc-alias tsconfig-paths
        tslib tslint tsup tsx turbo type-fest typedoc typeorm typescript typescript-eslint uglify-js underscore undici
        unist-util-visit url-loader uuid validator vinyl vite vite-tsconfig-paths vitepress vitest vue vue-router vuex
        wait-on webpack webpack-cli webpack-dev-server webpack-merge which winston workbox-webpack-plugin wrangler ws
        xml2js xstate yaml yargs yarn yup zod zustand zx
        """.split()
    ),
    "rust": frozenset(
        """
        ahash anyhow arbitrary async-std async-trait axum base64 bat bincode bitflags bytes cargo-audit cargo-deny
        cargo-edit cargo-expand cargo-llvm-cov cargo-nextest cargo-outdated cargo-release cargo-udeps cargo-watch
        cfg-if chrono clap clap_derive color-eyre criterion cross crossbeam dashmap delta derive_more diesel either
        env_logger eyre eza fastrand fd-find flate2 futures getrandom git-delta hashbrown heck hex http hyper hyperfine
        indexmap indicatif insta itertools just lazy_static libc log mdbook memchr mockall nix nom num num-bigint
        num-traits num_cpus once_cell ordered-float parking_lot petgraph pin-project pretty_assertions proc-macro2
        proptest prost quick-xml quote rand rayon regex reqwest ripgrep rstest rusqlite rustls sccache sd semver serde
        serde_derive serde_json serde_yaml sha2 smallvec sqlx starship strum strum_macros syn tar tempfile thiserror
        time tokei tokio tokio-stream tokio-util toml tonic tower tower-http tracing tracing-subscriber trunk
        unicode-segmentation url uuid walkdir warp wasm-bindgen-cli wasm-pack winnow zip zoxide
        """.split()
    ),
    "ruby": frozenset(
        """
        actionmailer activerecord activesupport addressable bcrypt bootsnap bundler byebug capybara cocoapods
        concurrent-ruby cucumber database_cleaner devise dotenv factory_bot factory_bot_rails faker faraday fastlane
        ffi friendly_id guard hashie i18n importmap-rails jekyll json kaminari listen minitest mocha mysql2 nokogiri oj
        pagy pg pry pry-byebug puma pundit rack rack-cors rails rake rdoc redis rexml rspec rspec-core rspec-rails
        rubocop rubocop-performance rubocop-rails ruby-lsp sass-rails selenium-webdriver shoulda-matchers sidekiq
        simplecov sinatra solargraph spring sprockets sqlite3 standard stimulus-rails thor timecop turbo-rails tzinfo
        vcr web-console webmock yard zeitwerk
        """.split()
    ),
}


# Of Go, modules are named by where they lie: these are places, and what is below them.
_GO = (
    "cloud.google.com/go",
    "github.com/aws/aws-sdk-go-v2",
    "github.com/gin-gonic/gin",
    "github.com/go-chi/chi",
    "github.com/golang-jwt/jwt",
    "github.com/google/go-cmp",
    "github.com/google/uuid",
    "github.com/gorilla/mux",
    "github.com/gorilla/websocket",
    "github.com/jackc/pgx",
    "github.com/labstack/echo",
    "github.com/lib/pq",
    "github.com/prometheus/client_golang",
    "github.com/redis/go-redis",
    "github.com/rs/zerolog",
    "github.com/sirupsen/logrus",
    "github.com/spf13/cobra",
    "github.com/spf13/pflag",
    "github.com/spf13/viper",
    "github.com/stretchr/testify",
    "go.opentelemetry.io/otel",
    "go.uber.org/zap",
    "golang.org/x",
    "google.golang.org/grpc",
    "google.golang.org/protobuf",
    "gopkg.in/yaml.v3",
    "gorm.io/gorm",
    "k8s.io/api",
    "k8s.io/apimachinery",
    "k8s.io/client-go",
)


def is_well_known(package: str, collection: object) -> bool:
    if collection == "go":
        return any(package == place or package.startswith(place + "/") for place in _GO)
    names = WELL_KNOWN.get(collection) if type(collection) is str else None
    if names is None:
        return False
    return (package.lower().replace("_", "-") if collection == "python" else package) in names


_SHORTEST = 5  # names with fewer letters are near too many others
_LETTERS = "abcdefghijklmnopqrstuvwxyz-._/@"


def names_like(package: str, collection: object) -> str:
    """The name in the table that this one nearly is, so that it may be mistaken for it; empty where there is none."""
    if is_well_known(package, collection) or len(package) < _SHORTEST:
        return ""
    names = WELL_KNOWN.get(collection, frozenset()) if type(collection) is str else frozenset[str]()
    found = next((name for name in _beside(package) if name in names and len(name) >= _SHORTEST), "")
    if found:
        return found
    bare = _bare(package)
    return next((name for name in sorted(names) if len(name) >= _SHORTEST and _bare(name) == bare), "")


def is_near(package: str, other: str) -> bool:
    """Whether one is the other but for a letter, two letters swapped, or marks between words."""
    if package == other or min(len(package), len(other)) < _SHORTEST or abs(len(package) - len(other)) > 1:
        return False
    return other in _beside(package) or _bare(package) == _bare(other)


def _bare(name: str) -> str:
    return name.replace("-", "").replace("_", "").replace(".", "").replace("@", "").replace("/", "")


def _beside(name: str) -> list[str]:
    """Every name that is one slip away: a letter less, more, another one, or two that are swapped. A digit at the end
    is how a next edition is named (`mysql2`), and is no slip.
    """
    found = [name.translate(str.maketrans("0153", "olse"))]
    for at in range(len(name)):
        head, char, tail = name[:at], name[at], name[at + 1 :]
        if not (char.isdigit() and not tail):
            found.append(head + tail)
        found += [head + other + tail for other in _LETTERS if not char.isdigit()]
        if tail:
            found.append(head + tail[0] + char + tail[1:])
    found += [name[:at] + other + name[at:] for at in range(len(name) + 1) for other in _LETTERS]
    return [other for other in found if other != name]
